// SPDX-License-Identifier: MIT
// The likely cause of a wrong result, from the matrices and the trials. One is named only where the
// evidence singles it out: a trial that changes one thing and changes the result, numbers that only
// one mistake can leave, or a pattern in C. Whoever is told a wrong cause looks there.
#include "diagnosis/cause.h"
#include "diagnosis/room.h"
#include "strict.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double small = 512.0 * 512.0 * 512.0; // products, of which each is computed
static const struct cause none = {NULL, ""};

// ---- what C looks like --------------------------------------------------------------------------
// Does it hold what a variable holds that nobody has set, in the emulation? GCC, and
// -ftrivial-auto-var-init=pattern. As float, or double, so much that no sum changes it.
static bool is_unset(real x)
{
    real unset;
    memset(&unset, 0xFE, sizeof unset);
    return memcmp(&x, &unset, sizeof x) == 0;
}

static void count_wrong(const struct problem *p, struct findings *f, int i, int j)
{
    size_t at = (size_t)i * (size_t)p->N + (size_t)j;
    real element = p->C.data[at];
    double got = (double)element;
    f->i_min = i < f->i_min ? i : f->i_min;
    f->i_max = i > f->i_max ? i : f->i_max;
    f->j_min = j < f->j_min ? j : f->j_min;
    f->j_max = j > f->j_max ? j : f->j_max;
    f->poison += is_poison(element);
    f->nan += !isfinite(got);
    f->zero += got == 0;
    f->unset += is_unset(element);
    f->edges += i >= f->M / f->tile.m * f->tile.m || j >= f->N / f->tile.n * f->tile.n;
    f->cut += got == trunc(got);
    f->marks[at] |=
        (unsigned char)((is_poison(element) ? UNWRITTEN : 0) | (got != 0 ? NOT_ZERO : 0));
}

static void add_sample(struct evidence *e, struct findings *f, int i, int j)
{
    const struct problem *p = e->p;
    struct sample s = {.i = (size_t)i, .j = (size_t)j};
    size_t at = s.i * (size_t)p->N + s.j;
    for (size_t k = 0; k < (size_t)p->K; k++) {
        double product =
            (double)p->A.data[s.i * (size_t)p->K + k] * (double)p->B.data[k * (size_t)p->N + s.j];
        s.right += product;
        s.magnitude += product * product;
    }
    s.magnitude = sqrt(s.magnitude);
    s.got = (double)p->C.data[at];
    if (s.got != 0 && !(fabs(s.got - s.right) <= 1))
        f->cut = 0;
    f->marks[at] |= SAMPLED;
    e->samples[e->count++] = s;
}

static bool is_power_of_2(int number)
{
    return (number & (number - 1)) == 0 && number < 1 << OF_EACH;
}

// Verifies C once more, with marks, and counts and samples what is wrong.
static struct evidence look(const struct problem *p, struct findings *f)
{
    struct evidence e = {.p = p, .f = f};
    const char *method;
    f->marks = scratch(elements_of(&p->C), 1);
    f->wrong = f->examined = f->rows_failed = 0;
    f->errors = f->largest_error = 0;
    verify_product(p, small, true, f, &method);
    f->i_min = f->i_max = f->i;
    f->j_min = f->j_max = f->j;
    for (int i = 0; i < p->M; i++)
        for (int j = 0; j < p->N; j++) {
            int mark = f->marks[(size_t)i * (size_t)p->N + (size_t)j];
            int y = (int)((long)i * MAP_ROWS / p->M), x = (int)((long)j * MAP_COLS / p->N);
            f->map_seen[y][x] += (mark & SEEN) != 0;
            f->map_wrong[y][x] += (mark & WRONG) != 0;
            if ((mark & WRONG) != 0)
                count_wrong(p, f, i, j);
        }
    for (int i = 0, rows = 0; i < p->M; i++)
        for (int j = 0, here = 0; j < p->N; j++) {
            if ((f->marks[(size_t)i * (size_t)p->N + (size_t)j] & WRONG) == 0)
                continue;
            rows += here++ == 0;
            if (is_power_of_2(rows) && is_power_of_2(here))
                add_sample(&e, f, i, j);
        }
    return e;
}

static void forget(struct findings *f)
{
    free(f->marks);
    f->marks = NULL;
}

struct cause computed_cause(const struct problem *p, struct findings *f)
{
    struct evidence e = look(p, f);
    e.trial = f->trials;
    struct cause cause = only_mistake(&e);
    forget(f);
    return cause;
}

// ---- what was done to memory --------------------------------------------------------------------
#define OUTSIDE_C "the kernel writes outside C"
#define BEFORE "an index below 0, or a buffer of its own that is too short"

static struct cause outside_c(const struct evidence *e)
{
    const struct findings *f = e->f;
    const long words = f->guard_words[2], end = (long)f->M * f->N;
    const int left = f->N % f->tile.n;
    // A last row that is too long writes less than a row of C behind it.
    const bool few = words < f->N && words < f->tile.n, unwritten = f->poison == f->wrong;
    // The columns from M on are never written, and as many elements are written behind C.
    if (f->M < f->N && unwritten && f->j_min == f->M && f->wrong == (long)(f->N - f->M) * f->M)
        return caused("outside", OUTSIDE_C ": M and N exchanged, rows run to M and columns to N");
    // The last tile's columns are never written. The lanes behind them are, up to a whole tile.
    if (few && only_right(f) && unwritten && f->wrong == (long)left * f->M && words == left &&
        f->guard_at[2] == end - 2 * left + f->tile.n)
        return caused("outside", OUTSIDE_C ": in the last tile a mask leaves out the first lanes, "
                                           "and not the last ones");
    const struct cause layout = only_mistake(e);
    if (layout.kind != NULL && strcmp(layout.kind, "index") == 0)
        return caused("outside", OUTSIDE_C ": %.200s", layout.text);
    // A part of each tile is stored too far to the right, and for the last tile outside C.
    const struct region gap = unwritten ? (struct region){.text = ""} : unwritten_region(f, false);
    if (gap.text[0] != '\0')
        return caused("outside",
                      OUTSIDE_C ", and %s %s never written: is this part of a tile stored at "
                                "another place?",
                      gap.text, gap.single ? "is" : "are");
    const bool rows = f->M % f->tile.m != 0 && !few, columns = left != 0 && few;
    // A row that is too long writes into the next one, which overwrites that.
    const bool longer = f->wrong == 0 && words < f->N && f->M > 1;
    // One row too many; one element more if there is one column too many.
    const bool one = (words == f->N || words == f->N + 1) && f->guard_at[2] == end &&
                     (f->M + 1) % f->tile.m != 0;
    const char *edge = one && rows ? "row M, and maybe column N: is there <= where < belongs"
                       : rows      ? "rows past M, in the last tile, are not left out"
                       : columns   ? "columns past N, in the last tile, are not left out"
                       : longer    ? "does a loop over columns end at N?"
                       : f->wrong == 0 && !few ? "does the loop over rows end at M?"
                                               : NULL;
    const bool most = f->wrong > f->examined / 2; // an edge alone leaves most of C right
    return caused("outside", OUTSIDE_C ": %s%s%s", edge != NULL ? edge : "",
                  edge != NULL && most ? ", or " : "",
                  edge != NULL && !most ? "" : "rows of C not N long");
}

// The process was stopped at this access.
static struct cause by_stray(const struct stray *s)
{
    const bool reads_c = s->matrix == 'C' && strcmp(s->verb, "reads") == 0; // it is there to write
    if (s->at >= 0 && s->at <= s->last)
        return caused("outside", "the kernel writes to %c, its input", s->matrix);
    return caused("outside", "%s%s %s %c: %s", s->line, s->verb,
                  s->at < 0 ? "what lies before" : "past the end of", s->matrix,
                  s->at >= 0 ? "a mask, or a test for the edge, is missing"
                  : reads_c  ? "an index of B that is far too large, or one of C below 0"
                             : BEFORE);
}

static struct cause by_memory(const struct evidence *e)
{
    const struct findings *f = e->f;
    if (f->refused != NOTHING_LACKS)
        return caused("memory", "%s", lack_in_words(f->refused));
    // Past the end of a buffer of its own a kernel gets to what lies before a matrix, and may go on
    // through it.
    for (int m = 0; m < 3; m++)
        if (f->guard_words[m] > 0 && f->guard_at[m] < 0)
            return caused("outside", "the kernel writes what lies before %c: " BEFORE, "ABC"[m]);
    if (f->guard_words[2] > 0)
        return outside_c(e);
    for (int m = 0; m < 2; m++)
        if (f->guard_words[m] > 0)
            return caused("outside", "the kernel writes outside %c", "AB"[m]);
    if (f->stray.matrix != 0)
        return by_stray(&f->stray);
    for (int m = 0; m < 2; m++)
        if (f->input_changes[m] > 0)
            return caused("outside", "the kernel writes to %c, its input", "AB"[m]);
    return none;
}

// ---- what was found in C ------------------------------------------------------------------------
// A kernel keeps inputs from call to call, which are out of date in the next one.
static struct cause by_kept(const struct findings *f)
{
    static const char *const words[] = {[OF_A] = "A is still what it was",
                                        [OF_B] = "B is still what it was",
                                        [OF_A + OF_B] = "A and B are still what they were"};
    return f->kept == 0 ? none
                        : caused("stale",
                                 "right if %s in the call before, of the same shape: what is kept "
                                 "must be made anew in each call",
                                 words[f->kept]);
}

// Unwritten rows or columns come back, and the others are wrong.
static struct cause stored_elsewhere(const struct findings *f)
{
    struct region gap = unwritten_region(f, false);
    if (gap.text[0] == '\0')
        gap = unwritten_region(f, true);
    if (f->unwritten == 0 || f->unwritten < f->poison || gap.text[0] == '\0')
        return none;
    // Items that store at one place come in any order; then all but the first of each are missing.
    int size = gap.period > 0 ? gap.period : gap.rows ? f->M : f->N;
    if (f->changed[AGAIN] > 0 && (gap.from != 1 || gap.to != size - 1))
        return none;
    return caused("index",
                  "%s %s never written, and others hold what belongs there: is a part of C's index "
                  "missing, as an item's ID?",
                  gap.text, gap.single ? "was" : "were");
}

static struct cause zeros(const struct findings *f, const struct region *region)
{
    const char *are = region->single ? "is" : "are";
    if (region->text[0] != '\0' && f->tile.k == 1)
        return caused("sum",
                      "%s %s 0: is anything added to their sums, in a loop over all of an item's?",
                      region->text, are);
    if (region->text[0] != '\0')
        return caused("tile", "%s %s 0: is all of the tile loaded, and each sum stored?",
                      region->text, are);
    if (f->wrong <= f->examined / 2)
        return none;
    return caused("unwritten", "zeros%s",
                  f->K < f->tile.k
                      ? ", and K is less than a tile: is a partial tile of k left out, "
                        "or no sum stored?"
                      : ": was the sum ever stored? Is it set to 0 after its products, "
                        "or multiplied by them, *= where += belongs?");
}

// A tile of which a part is loaded may look like one sum for several elements.
static struct cause all_but_zeros(const struct findings *f)
{
    const struct region sole = sole_region(f);
    const bool tile = f->tile.k > 1;
    if (sole.text[0] == '\0' || (!sole.first && !tile))
        return none;
    return caused(tile ? "tile" : "sum", "only %s %s not 0, and wrong: %s%s%s", sole.text,
                  sole.single ? "is" : "are", tile ? "is all of the tile loaded" : "",
                  tile && sole.first ? ", and " : "",
                  sole.first ? "has each element its own sum?" : "?");
}

// Which trial has changed the result? A buffer whose message was not waited for holds what was in
// that memory before.
static struct cause by_trials(const struct findings *f)
{
    const long cleared = (long)f->i * f->N + f->j;
    if (f->added && cleared > 0 && f->wrong == (long)f->M * f->N - cleared)
        return caused("sum",
                      "is added to what C held before, but for the first %ld elements: is all of C "
                      "set to 0? memset counts bytes",
                      cleared);
    if (f->added)
        return caused("sum", "depends on what C held before: C is to be overwritten, not added to");
    if (f->changed[OTHER_C] > f->unwritten)
        return caused("race", "depends on what %s",
                      f->messages
                          ? "C held before, or on when a message comes: is C overwritten, "
                            "and each message waited for?"
                          : "memory held before: C, a sum or a tile is read that nobody has "
                            "written: make race");
    if (f->beside.kind != NULL)
        return f->beside;
    if (f->changed[OTHER_A] > 0)
        return caused("outside", "reads outside A: the result depends on what lies beside it");
    if (f->changed[OTHER_B] == 0)
        return none;
    return caused("outside", "reads outside B: %s",
                  f->wrong == f->examined ? "does k end at K, and are rows of B N long? The result "
                                            "depends on what lies beside it"
                                          : "the result depends on what lies beside it");
}

// No input is NaN, and neither C's old values nor those beside A and B make a difference.
static struct cause only_nan(const struct findings *f)
{
    const bool bottom = only_bottom(f), right = only_right(f);
    if (f->nan < f->wrong || f->trials < OTHER_C || f->unwritten > 0 || f->wrong <= 2)
        return none;
    if (bottom != right && f->tile.k > 1)
        return caused("race",
                      "only the last, partial tile of %s is NaN: do those past %c load their part "
                      "of each tile, too, and return before no barrier?",
                      bottom ? "rows" : "columns", bottom ? 'M' : 'N');
    const bool rest = f->tile.k > 1 && f->K % f->tile.k != 0;
    return caused(
        rest ? "tile" : "outside", "NaN, which no element of A or B is%s",
        rest ? ", and K is no multiple of a tile: is what lies past K in the last tile, "
               "in A's and in B's, set to 0? Or is a leading dimension wrong?"
             : ": 0/0, half precision, whose largest number is 65504, or reads far outside "
               "of them, past the end of a tile, or memory that nobody wrote");
}

static struct cause at_edges(const struct findings *f)
{
    const bool bottom = only_bottom(f), right = only_right(f);
    if (bottom && right)
        return caused("edge",
                      "only the corner tile: an edge cut off in one direction but not in both");
    if (bottom)
        return caused("edge", "only the last, partial tile of rows: how are rows past M left out?");
    if (right)
        return caused("edge",
                      "only the last, partial tile of columns: how are those past N left out?");
    if (f->edges < f->wrong || f->M <= f->tile.m || f->N <= f->tile.n || f->wrong <= 2)
        return none;
    return caused("edge",
                  "only the last, partial tiles of rows and of columns: does each load, and "
                  "each store, test what it needs itself?");
}

// First a mistake that explains each element, then the trials, and at last the place of what is
// wrong.
static struct cause by_content(const struct evidence *e)
{
    const struct findings *f = e->f;
    struct cause cause = by_kept(f);
    if (cause.kind == NULL && f->unset == f->wrong)
        return caused("sum",
                      "a variable that was never set: is each sum 0 before the first product "
                      "is added?");
    struct cause (*const computed[])(const struct evidence *) = {
        only_mistake, only_part, only_lanes, only_shift, only_twin, only_half};
    for (int c = 0; c < 6 && cause.kind == NULL; c++)
        cause = computed[c](e);
    if (cause.kind != NULL)
        return cause;
    const struct cause elsewhere = stored_elsewhere(f);
    if (f->changed[AGAIN] > 0)
        return elsewhere.kind != NULL
                   ? elsewhere
                   : caused("race", "changes from run to run: a race, or memory that nobody wrote: "
                                    "make race");
    if (f->poison == f->wrong && f->changed[OTHER_C] == f->unwritten && f->unwritten > 0)
        return by_unwritten(e);
    if (f->cut == f->wrong && f->after_integers && !REAL_IS_INT && f->wrong > f->examined / 2)
        return caused("narrow", "whole numbers are right, of others the fraction is lost: is the "
                                "sum, or an operand, an int?");
    const struct region region = wrong_region(f);
    cause = f->zero == f->wrong ? zeros(f, &region) : none;
    struct cause (*const seen[])(const struct findings *) = {all_but_zeros, by_trials, only_nan};
    for (int c = 0; c < 3 && cause.kind == NULL; c++)
        cause = seen[c](f);
    if (cause.kind == NULL)
        cause = elsewhere.kind != NULL ? elsewhere : only_narrowing(e);
    if (cause.kind == NULL)
        cause = at_edges(f);
    if (cause.kind == NULL && region.text[0] != '\0' && f->examined == (long)f->M * f->N)
        return caused("index",
                      "%s %s wrong, and no others: in which index, or loop, are they different?",
                      region.text, region.single ? "is" : "are");
    return cause;
}

void diagnose(const struct problem *p, struct findings *f)
{
    struct evidence e = {.p = p, .f = f};
    if (f->wrong > 0)
        e = look(p, f);
    f->cause = by_memory(&e);
    if (f->cause.kind == NULL && f->wrong > 0)
        f->cause = by_content(&e);
    forget(f);
}
