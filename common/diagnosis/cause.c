// SPDX-License-Identifier: MIT
// The likely cause of a wrong result. One is named only where the evidence singles it out: a trial
// that changes one thing and changes the result, numbers that only one mistake can leave, or shapes
// of which exactly those with one property are wrong. Whoever is told a wrong cause looks there.
#include "diagnosis/findings.h"

// The kinds: what kind of mistake it is, for the tools that choose a hint by it.
static const char index_[] = "index", // a wrong element of A, B or C
    k_range[] = "k",                  // the first or last products are missing
    sum_start[] = "sum",              // a sum that begins with something
    unwritten[] = "unwritten",        // elements of C
    edge[] = "edge",                  // an incomplete tile
    outside[] = "outside",            // reads or writes what is not its own
    unstable[] = "race",              // changes from run to run
    narrow[] = "narrow";              // arithmetic of fewer bits

static const struct cause mistakes[MISTAKES] = {
    [FIRST_K] = {k_range, "the first k is missing: does the loop over k start at 0?"},
    [LAST_K] = {k_range, "the last k is missing: does the loop, or its last tile, end too early?"},
    [ONLY_LAST_K] = {sum_start, "only the last product is there: = where += belongs?"},
    [A_TRANSPOSED] = {index_, "this is A transposed times B: A is row-major, (i,k) is A[i*K + k]"},
    [B_TRANSPOSED] = {index_, "this is A times B transposed: B is row-major, (k,j) is B[k*N + j]"},
    [C_TRANSPOSED] = {index_, "C is stored column by column: element (i,j) belongs at C[i*N + j]"},
    [A_ROWS_OF_N] = {index_, "rows of A are taken to be N long: (i,k) is A[i*K + k]"},
    [B_ROWS_OF_K] = {index_, "rows of B are taken to be K long: (k,j) is B[k*N + j]"},
    [BOTH_ROWS] = {index_, "leading dimensions of A and B mixed up: (i,k) is A[i*K + k], "
                           "(k,j) is B[k*N + j]"},
    [CARRIED_ON] = {sum_start, "the sum goes on from the element before: set it to 0 for each"},
    [OFF_BY_SAME] = {sum_start,
                     "every element is off by the same number: does the sum start at 0?"},
};
static const struct cause none = {NULL, ""};

static bool explains(const struct findings *f, enum mistake mistake)
{
    long told = f->told[mistake];
    // What a race leaves in one run may look like any of them; a sum alone goes on from run to run.
    if (f->changed[AGAIN] > 0 && mistake != CARRIED_ON)
        return false;
    return told > (mistake == OFF_BY_SAME ? 2 : 0) && 2 * told >= f->probed &&
           f->explained[mistake] == told;
}

// The one mistake that explains all wrong elements.
static struct cause only_mistake(const struct findings *f)
{
    struct cause found = none;
    for (int m = 0; m < MISTAKES; m++)
        if (explains(f, (enum mistake)m)) {
            if (found.kind != NULL)
                return none;
            found = mistakes[m];
        }
    return found;
}

// What was done to memory.
static struct cause by_memory(const struct findings *f)
{
    static const struct cause written[] = {
        {outside, "the kernel writes outside A"},
        {outside, "the kernel writes outside B"},
        {outside,
         "the kernel writes outside C: an edge that is not cut off, or rows of C not N long"},
    };
    static const struct cause inputs[] = {{outside, "the kernel writes to A, its input"},
                                          {outside, "the kernel writes to B, its input"}};
    const struct stray *s = &f->stray;
    if (s->matrix != 0) {
        struct cause stray = {outside, ""};
        snprintf(stray.text, sizeof stray.text,
                 "%s%s %s %c: a mask, or a test for the edge, is missing", s->line, s->verb,
                 s->at < 0 ? "what lies before" : "past the end of", s->matrix);
        return stray;
    }
    for (int m = 2; m >= 0; m--)
        if (f->guard_words[m] > 0)
            return written[m];
    for (int m = 0; m < 2; m++)
        if (f->input_changes[m] > 0)
            return inputs[m];
    return none;
}

// Is all that is wrong in the last, incomplete tile of rows, or of columns?
static bool only_bottom(const struct findings *f)
{
    return f->M > f->tile.m && f->i_min >= f->M / f->tile.m * f->tile.m;
}

static bool only_right(const struct findings *f)
{
    return f->N > f->tile.n && f->j_min >= f->N / f->tile.n * f->tile.n;
}

// What C looks like, and what the trials say.
static struct cause by_content(const struct findings *f)
{
    struct cause mistake = only_mistake(f);
    if (mistake.kind != NULL)
        return mistake;
    if (f->changed[AGAIN] > 0)
        return (struct cause){
            unstable, "changes from run to run: a race, or memory that nobody wrote: make race"};
    bool bottom = only_bottom(f), right = only_right(f);
    bool poisoned = f->poison == f->wrong && f->changed[OTHER_C] == f->unwritten;
    if (poisoned && f->unwritten > 0 && bottom)
        return (struct cause){edge, "the last, incomplete tile of rows was never written"};
    if (poisoned && f->unwritten > 0 && right)
        return (struct cause){edge, "the last, incomplete tile of columns was never written"};
    if (poisoned && f->unwritten > 0)
        return (struct cause){unwritten, "these elements were never written"};
    if (f->zero == f->wrong && f->wrong > f->examined / 2)
        return (struct cause){unwritten, "zeros: was the sum ever stored?"};
    // A buffer whose message was not waited for holds what was in that memory before.
    if (f->changed[OTHER_C] > f->unwritten && f->messages)
        return (struct cause){unstable,
                              "depends on what C held before, or on when a message comes: "
                              "is C overwritten, and each message waited for?"};
    if (f->changed[OTHER_C] > f->unwritten)
        return (struct cause){
            sum_start, "depends on what C held before: C is to be overwritten, not added to"};
    if (f->changed[OTHER_A] > 0)
        return (struct cause){outside,
                              "reads outside A: the result depends on what lies beside it"};
    if (f->changed[OTHER_B] > 0)
        return (struct cause){outside,
                              "reads outside B: the result depends on what lies beside it"};
    // Errors below half of a mean product, and of either sign: none can be missing, or be another's.
    bool either_sign = 8 * f->above > f->wrong && 8 * f->above < 7 * f->wrong;
    if (f->narrow == f->wrong && f->wrong >= 16 && either_sign)
        return (struct cause){narrow,
                              "close, but too far: narrower arithmetic (half, TF32, bfloat16)"};
    if (bottom && right)
        return (struct cause){
            edge, "only the corner tile: an edge cut off in one direction but not in both"};
    if (bottom)
        return (struct cause){
            edge, "only the last, incomplete tile of rows: how are rows past M left out?"};
    if (right)
        return (struct cause){
            edge, "only the last, incomplete tile of columns: how are those past N left out?"};
    return none;
}

static bool is_multiple(const struct outcome *o, int dimension, struct tile t)
{
    return dimension == 0 ? o->M % t.m == 0 : dimension == 1 ? o->N % t.n == 0 : o->K % t.k == 0;
}

// Is a shape wrong only where this dimension is no multiple of the tile? It takes some of each kind, and an
// element that is wrong before the last tile of rows, or of columns, speaks against it.
static bool wrong_at_edge(const struct findings *f, const struct outcome *outcomes, int count,
                          int dimension)
{
    struct tile t = f->tile;
    int wrong = 0, right = 0;
    if ((dimension == 0 && f->M > t.m && !only_bottom(f)) ||
        (dimension == 1 && f->N > t.n && !only_right(f)))
        return false;
    for (int o = 0; o < count; o++) {
        bool multiple = is_multiple(&outcomes[o], dimension, t);
        if (!outcomes[o].right && multiple)
            return false;
        wrong += !outcomes[o].right;
        right += outcomes[o].right && multiple;
    }
    return wrong >= 2 && right >= 3;
}

static bool is_equal(const struct outcome *o, int pair)
{
    return pair == 0 ? o->M == o->N : pair == 1 ? o->N == o->K : o->K == o->M;
}

// Is a shape wrong just where these two dimensions differ? Those of single rows and columns do not
// count: one row has no leading dimension.
static bool wrong_where_unequal(const struct outcome *outcomes, int count, int pair)
{
    int wrong = 0, right = 0;
    for (int o = 0; o < count; o++) {
        bool equal = is_equal(&outcomes[o], pair);
        bool single = outcomes[o].M == 1 || outcomes[o].N == 1 || outcomes[o].K == 1;
        if (outcomes[o].right ? !equal && !single : equal)
            return false;
        wrong += !outcomes[o].right;
        right += outcomes[o].right && equal;
    }
    return wrong >= 3 && right >= 3;
}

// Is a shape wrong just where K is more than one tile?
static bool wrong_past_a_tile_of_k(const struct findings *f, const struct outcome *outcomes,
                                   int count)
{
    int wrong = 0, right = 0;
    for (int o = 0; o < count; o++) {
        if (outcomes[o].right == (outcomes[o].K > f->tile.k))
            return false;
        wrong += !outcomes[o].right;
        right += outcomes[o].right;
    }
    return f->tile.k > 1 && wrong >= 3 && right >= 3;
}

static struct cause by_shapes(const struct findings *f, const struct outcome *outcomes, int count)
{
    static const char *const names[] = {"M", "N", "K"};
    const int tiles[] = {f->tile.m, f->tile.n, f->tile.k};
    int along = -1, edges = 0, pair = -1, pairs = 0;
    for (int d = 0; d < 3; d++) {
        if (wrong_at_edge(f, outcomes, count, d))
            along = d, edges++;
        if (wrong_where_unequal(outcomes, count, d))
            pair = d, pairs++;
    }
    struct cause cause = none;
    if (pairs + edges == 0 && wrong_past_a_tile_of_k(f, outcomes, count)) {
        cause.kind = sum_start;
        snprintf(cause.text, sizeof cause.text,
                 "only where K is more than %d: is each tile of products added to those before?",
                 f->tile.k);
        return cause;
    }
    if ((pairs == 1) == (edges == 1))
        return none;
    cause.kind = pairs == 1 ? index_ : edge;
    if (pairs == 1)
        snprintf(cause.text, sizeof cause.text,
                 "wrong just where %s and %s differ: are they mixed up?", names[pair],
                 names[(pair + 1) % 3]);
    else
        snprintf(cause.text, sizeof cause.text,
                 "only where %s is no multiple of %d: the last, incomplete tile along %s%s",
                 names[along], tiles[along], names[along],
                 along == 2 ? ": is it filled up with zeros, in A's and in B's?" : "");
    return cause;
}

struct cause likely_cause(const struct findings *f, const struct outcome *outcomes, int count)
{
    struct cause cause = by_memory(f), shapes = by_shapes(f, outcomes, count);
    if (cause.kind == NULL && f->wrong > 0)
        cause = by_content(f);
    // What one shape shows of its edge, others may show to be about something else.
    bool at_edge = cause.kind == edge || cause.kind == unwritten;
    return cause.kind == NULL || (at_edge && shapes.kind == index_) ? shapes : cause;
}
