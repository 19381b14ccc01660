// SPDX-License-Identifier: MIT
// The likely cause, from what diagnose() made of the first wrong shape and from all shapes that
// were tried since. It is named only where the evidence singles it out, as a wrong one misleads.
#include "diagnosis/cause.h"
#include "strict.h"

#include <limits.h>
#include <string.h>

static const struct cause none = {NULL, ""};

static bool is_kind(struct cause cause, const char *kind)
{
    return cause.kind != NULL && strcmp(cause.kind, kind) == 0;
}

// ---- where a shape is wrong ---------------------------------------------------------------------
enum property {
    M_IS_N,
    N_IS_K,
    K_IS_M,
    WHOLE_M,
    WHOLE_N,
    WHOLE_K,
    AS_MANY_TILES,
    ONE_TILE_OF_K,
    EVEN_TILES_OF_K
};

static bool has(const struct outcome *o, enum property property, struct tile t)
{
    const bool all[] = {o->M == o->N,
                        o->N == o->K,
                        o->K == o->M,
                        o->M % t.m == 0,
                        o->N % t.n == 0,
                        o->K % t.k == 0,
                        count_tiles(o->M, t.m) == count_tiles(o->N, t.n),
                        o->K <= t.k,
                        count_tiles(o->K, t.k) % 2 == 0};
    return all[property];
}

// Are just those shapes wrong that lack the property? A single row has no leading dimension, so it
// says nothing if it is right.
static bool wrong_without(enum property property, struct tile t, const struct outcome *o, int count)
{
    int wrong = 0, right = 0;
    for (const struct outcome *end = o + count; o < end; o++) {
        bool there = has(o, property, t);
        bool single = property <= K_IS_M && (o->M == 1 || o->N == 1 || o->K == 1);
        if (o->right != there && !(o->right && single))
            return false;
        wrong += !o->right;
        right += o->right && there;
    }
    return wrong >= 3 && right >= 3;
}

// Is a shape wrong only where this dimension is no multiple of the tile? An element that is wrong
// before the last tile of rows, or of columns, speaks against it.
static bool wrong_at_edge(const struct findings *f, int dimension, const struct outcome *o,
                          int count)
{
    const struct tile t = f->tile;
    int wrong = 0, right = 0;
    if ((dimension == 0 && f->M > t.m && !only_bottom(f)) ||
        (dimension == 1 && f->N > t.n && !only_right(f)))
        return false;
    for (const struct outcome *end = o + count; o < end; o++) {
        bool whole = has(o, WHOLE_M + (unsigned)dimension, t);
        if (!o->right && whole)
            return false;
        wrong += !o->right;
        right += o->right && whole;
    }
    return wrong >= 2 && right >= 3;
}

// Is a shape of full tiles of C wrong, too?
static bool wrong_without_edges(struct tile t, const struct outcome *o, int count)
{
    for (const struct outcome *end = o + count; o < end; o++)
        if (!o->right && has(o, WHOLE_M, t) && has(o, WHOLE_N, t))
            return true;
    return false;
}

// Then a long sum explains it as well as any edge of M or N.
static bool only_where_k_is_larger(const struct outcome *outcomes, int count)
{
    int least_wrong = INT_MAX, most_right = 0;
    for (const struct outcome *o = outcomes; o < outcomes + count; o++) {
        if (o->right && o->K > most_right)
            most_right = o->K;
        if (!o->right && o->K < least_wrong)
            least_wrong = o->K;
    }
    return least_wrong > most_right;
}

static struct cause by_shapes(const struct findings *f, const struct outcome *outcomes, int count)
{
    static const char *const names[] = {"M", "N", "K"};
    const struct tile t = f->tile;
    const int tiles[] = {t.m, t.n, t.k};
    int along = -1, edges = 0, pair = -1, pairs = 0;
    for (int d = 0; d < 3; d++) {
        if (wrong_at_edge(f, d, outcomes, count))
            along = d, edges++;
        if (wrong_without(M_IS_N + (unsigned)d, t, outcomes, count))
            pair = d, pairs++;
    }
    if (f->poison > 0 && f->poison == f->wrong && t.m * t.n > 1 &&
        wrong_without(AS_MANY_TILES, t, outcomes, count))
        return dimensions_swapped;
    if (pairs + edges == 0 && t.k > 1 && wrong_without(ONE_TILE_OF_K, t, outcomes, count))
        return caused(
            "tile",
            "only where K is more than %d: from the second tile of k on, are its place in "
            "A and B and its leading dimensions right, and is it added?",
            t.k);
    if (pairs + edges == 0 && t.k > 1 && wrong_without(EVEN_TILES_OF_K, t, outcomes, count))
        return caused("tile",
                      "only where K has an odd number of tiles of %d: if two are taken at a time, "
                      "is there a last one alone?",
                      t.k);
    if ((pairs == 1) == (edges == 1) || (along != 2 && only_where_k_is_larger(outcomes, count)))
        return none;
    if (pairs == 1)
        return caused("index", "wrong just where %s and %s differ: are they mixed up?", names[pair],
                      names[(pair + 1) % 3]);
    return caused("edge", "only where %s is no multiple of %d: the last, partial tile along %s%s",
                  names[along], tiles[along], names[along],
                  along == 2 ? ": is it zero-padded, in A's and in B's?" : "");
}

struct cause likely_cause(const struct findings *f, const struct outcome *outcomes, int count)
{
    struct cause cause = f->cause, shapes = by_shapes(f, outcomes, count);
    // One shape may suggest an edge, and others that it is about something else.
    bool at_edge = is_kind(cause, "edge") || is_kind(cause, "unwritten");
    if (is_kind(cause, "edge") && wrong_without_edges(f->tile, outcomes, count))
        cause = none;
    bool better = at_edge && (is_kind(shapes, "index") || is_kind(shapes, "unwritten"));
    return cause.kind == NULL || better ? shapes : cause;
}
