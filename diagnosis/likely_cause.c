// SPDX-License-Identifier: MIT
// The likely cause, from the diagnosis of the first wrong shape and from all shapes that were tried
// since. It is named only if the evidence singles it out, as a wrong one misleads.
#include "diagnosis/cause.h"

#include <limits.h>

// clang-format off
enum property { M_IS_N, N_IS_K, K_IS_M, WHOLE_M, WHOLE_N, WHOLE_K, FULL_TILES, AS_MANY_TILES,
                ONE_TILE_OF_K, EVEN_TILES_OF_K };

static bool has(const struct outcome *o, enum property property, struct tile t)
{
    const bool whole_m = o->M % t.m == 0, whole_n = o->N % t.n == 0;
    const bool all[] = {o->M == o->N, o->N == o->K, o->K == o->M, whole_m, whole_n, o->K % t.k == 0,
                        whole_m && whole_n, count_tiles(o->M, t.m) == count_tiles(o->N, t.n),
                        o->K <= t.k, count_tiles(o->K, t.k) % 2 == 0};
    return all[property];
}
// clang-format on

// Shapes with a property and without, right and wrong.
struct tally {
    int right, wrong, right_without, wrong_without;
};

// A single row has no leading dimension, so it says nothing if it is right.
static struct tally tally(enum property p, struct tile t, const struct outcome *o, int count)
{
    struct tally all = {0};
    for (const struct outcome *end = o + count; o < end; o++) {
        const bool with = has(o, p, t), single = o->M == 1 || o->N == 1 || o->K == 1;
        all.right += with && o->right;
        all.wrong += with && !o->right;
        all.right_without += !with && o->right && !(single && p <= K_IS_M);
        all.wrong_without += !with && !o->right;
    }
    return all;
}

// Are just those shapes wrong that lack the property?
static bool just_without(struct tally t)
{
    return t.right >= 3 && t.wrong_without >= 3 && t.wrong + t.right_without == 0;
}

// Is a shape wrong only if this dimension is not a multiple of the tile? An element that is wrong
// before the last tile of rows, or of columns, speaks against it.
static bool wrong_at_edge(const struct findings *f, int dimension, struct tally whole)
{
    const struct axis a = axis_of(f, dimension == 0);
    return (dimension == 2 || a.end <= a.tile || a.partial) && whole.right >= 3 &&
           whole.wrong_without >= 2 && whole.wrong == 0;
}

// Then a long sum explains it as well as any edge of M or N.
static bool only_long_sums(const struct outcome *o, int count)
{
    int least_wrong = INT_MAX, most_right = 0;
    for (const struct outcome *end = o + count; o < end; o++) {
        most_right = o->right && o->K > most_right ? o->K : most_right;
        least_wrong = !o->right && o->K < least_wrong ? o->K : least_wrong;
    }
    return least_wrong > most_right;
}

static struct cause by_shapes(const struct findings *f, const struct outcome *outcomes, int count)
{
    static const char *const names[] = {"M", "N", "K"};
    static const char *const pair_names[] = {"M and N", "N and K", "K and M"};
    const struct tile t = f->tile;
    const int tiles[] = {t.m, t.n, t.k};
    int along = 0, edges = 0, pair = 0, pairs = 0;
    for (int d = 0; d < 3; d++) {
        const enum property whole = WHOLE_M + (unsigned)d, same = M_IS_N + (unsigned)d;
        if (wrong_at_edge(f, d, tally(whole, t, outcomes, count)))
            along = d, edges++;
        if (just_without(tally(same, t, outcomes, count)))
            pair = d, pairs++;
    }
    const bool unwritten = f->poison > 0 && f->poison == f->found.wrong && t.m * t.n > 1,
               of_k = pairs + edges == 0 && t.k > 1, one = (pairs == 1) != (edges == 1),
               edge = one && (along == 2 || !only_long_sums(outcomes, count));
    if (unwritten && just_without(tally(AS_MANY_TILES, t, outcomes, count)))
        return dimensions_swapped;
    // clang-format off
    return first_of((const struct rule[]){
        {of_k && just_without(tally(ONE_TILE_OF_K, t, outcomes, count)), "tile", "", t.k,
         "only where K is more than #: from the second tile of k on, are its place in A and B and "
         "its leading dimensions right, and is it added?"},
        {of_k && just_without(tally(EVEN_TILES_OF_K, t, outcomes, count)), "tile", "", t.k,
         "only where K has an odd number of tiles of #: if two are taken at a time, is there a "
         "last one alone?"},
        {edge && pairs == 1, "index", pair_names[pair], 0,
         "wrong just where @ differ: are they mixed up?"},
        {edge && along == 2, "edge", "", t.k, "only where K is no multiple of #: the last, partial "
         "tile along K: is it zero-padded, in A's and in B's?"},
        {edge, "edge", names[along], tiles[along],
         "only where @ is no multiple of #: the last, partial tile along @"},
        {.fits = true},
    });
    // clang-format on
}

struct cause likely_cause(const struct findings *f, const struct outcome *outcomes, int count)
{
    const struct cause shapes = by_shapes(f, outcomes, count);
    const bool full_tiles = tally(FULL_TILES, f->tile, outcomes, count).wrong > 0;
    // One shape may suggest an edge, and others that it is about something else.
    const bool at_edge = is_kind(f->cause, "edge"), other = at_edge && full_tiles;
    const bool better = (at_edge || is_kind(f->cause, "unwritten")) &&
                        (is_kind(shapes, "index") || is_kind(shapes, "unwritten"));
    return f->cause.kind == NULL || other || better ? shapes : f->cause;
}
