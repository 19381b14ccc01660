// SPDX-License-Identifier: MIT
// The likely cause of a wrong result. One is named only where the evidence singles it out: a trial
// that changes one thing and changes the result, numbers that only one mistake can leave, or shapes
// of which exactly those with one property are wrong. Whoever is told a wrong cause looks there.
#include "verify.h"

static const char *const mistakes[MISTAKES] = {
    [FIRST_K] = "the first k is missing: does the loop over k start at 0?",
    [LAST_K] = "the last k is missing: does the loop, or its last tile, end too early?",
    [ONLY_LAST_K] = "only the last product is there: = where += belongs?",
    [A_TRANSPOSED] = "this is A transposed times B: A is row-major, (i,k) is A[i*K + k]",
    [B_TRANSPOSED] = "this is A times B transposed: B is row-major, (k,j) is B[k*N + j]",
    [C_TRANSPOSED] = "C is stored column by column: element (i,j) belongs at C[i*N + j]",
    [A_ROWS_OF_N] = "rows of A are taken to be N long: (i,k) is A[i*K + k]",
    [B_ROWS_OF_K] = "rows of B are taken to be K long: (k,j) is B[k*N + j]",
    [BOTH_ROWS] =
        "leading dimensions of A and B mixed up: (i,k) is A[i*K + k], (k,j) is B[k*N + j]",
    [CARRIED_ON] = "the sum goes on from the element before: set it to 0 for each",
    [OFF_BY_SAME] = "every element is off by the same number: does the sum start at 0?",
};

static bool explains(const struct findings *f, enum mistake mistake)
{
    long told = f->told[mistake];
    return told > (mistake == OFF_BY_SAME ? 2 : 0) && 2 * told >= f->probed &&
           f->explained[mistake] == told;
}

// The one mistake that explains all wrong elements, or NULL.
static const char *only_mistake(const struct findings *f)
{
    const char *found = NULL;
    for (int m = 0; m < MISTAKES; m++)
        if (explains(f, (enum mistake)m)) {
            if (found != NULL)
                return NULL;
            found = mistakes[m];
        }
    return found;
}

// What was done to memory.
static const char *by_memory(const struct findings *f)
{
    static const char *const outside[] = {
        "the kernel writes outside A",
        "the kernel writes outside B",
        "the kernel writes outside C: an edge that is not cut off, or rows of C not N long",
    };
    static const char *const inputs[] = {"the kernel writes to A, its input",
                                         "the kernel writes to B, its input"};
    for (int m = 2; m >= 0; m--)
        if (f->guard_words[m] > 0)
            return outside[m];
    for (int m = 0; m < 2; m++)
        if (f->input_changes[m] > 0)
            return inputs[m];
    return NULL;
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
static const char *by_content(const struct findings *f)
{
    const char *mistake = only_mistake(f);
    if (mistake != NULL)
        return mistake;
    if (f->changed[AGAIN] > 0)
        return "changes from run to run: a race, or memory that nobody wrote: make race";
    bool bottom = only_bottom(f), right = only_right(f);
    bool unwritten = f->poison == f->wrong && f->changed[OTHER_C] == f->unwritten;
    if (unwritten && f->unwritten > 0 && bottom)
        return "the last, incomplete tile of rows was never written";
    if (unwritten && f->unwritten > 0 && right)
        return "the last, incomplete tile of columns was never written";
    if (unwritten && f->unwritten > 0)
        return "these elements were never written";
    if (f->zero == f->wrong && f->wrong > f->examined / 2)
        return "zeros: was the sum ever stored?";
    if (f->changed[OTHER_C] > f->unwritten)
        return "depends on what C held before: C is to be overwritten, not added to";
    if (f->changed[OTHER_A] > 0)
        return "reads outside A: the result depends on what lies beside it";
    if (f->changed[OTHER_B] > 0)
        return "reads outside B: the result depends on what lies beside it";
    // Errors below half of a mean product, and of either sign: none can be missing, or be another's.
    bool either_sign = 8 * f->above > f->wrong && 8 * f->above < 7 * f->wrong;
    if (f->narrow == f->wrong && f->wrong >= 16 && either_sign)
        return "close, but too far: narrower arithmetic (half, TF32, bfloat16)";
    if (bottom && right)
        return "only the corner tile: an edge cut off in one direction but not in both";
    if (bottom)
        return "only the last, incomplete tile of rows: how are rows past M left out?";
    return right ? "only the last, incomplete tile of columns: how are those past N left out?"
                 : NULL;
}

static bool is_multiple(const struct outcome *o, int dimension, struct tile t)
{
    return dimension == 0 ? o->M % t.m == 0 : dimension == 1 ? o->N % t.n == 0 : o->K % t.k == 0;
}

// Is a shape wrong only where this dimension is no multiple of the tile? It takes some of each kind.
static bool wrong_at_edge(const struct outcome *outcomes, int count, int dimension, struct tile t)
{
    int wrong = 0, right = 0;
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

static bool by_shapes(const struct findings *f, const struct outcome *outcomes, int count,
                      char *text, size_t size)
{
    static const char *const names[] = {"M", "N", "K"};
    const int tiles[] = {f->tile.m, f->tile.n, f->tile.k};
    int edge = -1, edges = 0, pair = -1, pairs = 0;
    for (int d = 0; d < 3; d++) {
        if (wrong_at_edge(outcomes, count, d, f->tile))
            edge = d, edges++;
        if (wrong_where_unequal(outcomes, count, d))
            pair = d, pairs++;
    }
    if (pairs == 1)
        snprintf(text, size, "wrong just where %s and %s differ: are they mixed up?", names[pair],
                 names[(pair + 1) % 3]);
    else if (edges == 1)
        snprintf(text, size,
                 "only where %s is no multiple of %d: the last, incomplete tile along %s%s",
                 names[edge], tiles[edge], names[edge],
                 edge == 2 ? ": is it filled up with zeros, in A's and in B's?" : "");
    return (pairs == 1) != (edges == 1);
}

bool likely_cause(const struct findings *f, const struct outcome *outcomes, int count, char *text,
                  size_t size)
{
    const char *cause = by_memory(f);
    if (cause == NULL && f->wrong > 0)
        cause = by_content(f);
    if (cause == NULL)
        return by_shapes(f, outcomes, count, text, size);
    snprintf(text, size, "%s", cause);
    return true;
}
