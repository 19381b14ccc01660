// SPDX-License-Identifier: MIT
// The likely cause of a wrong result. One is named only where the evidence singles it out: a trial
// that changes one thing and changes the result, numbers that only one mistake can leave, or shapes
// of which exactly those with one property are wrong. Whoever is told a wrong cause looks there.
#include "diagnosis/cause.h"
#include "strict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cause none = {NULL, ""};

static bool is_kind(struct cause cause, const char *kind)
{
    return cause.kind != NULL && strcmp(cause.kind, kind) == 0;
}

// Of mistakes, layouts, shifts and twins. One element of many tells nothing: something may fit by
// chance.
static bool explains(const struct findings *f, int number)
{
    long told = f->told[number];
    // What a race leaves in one run may look like any of them, but for a wrong index, which may
    // read what changes far outside; and a sum goes on from run to run.
    bool steady = number < MISTAKES ? is_kind(mistakes[number].cause, "index")
                                    : number < FIRST_SHIFT; // a layout
    if (f->changed[AGAIN] > 0 && !steady && number > CARRIED_ON_ITEM)
        return false;
    if (f->poison == f->wrong) // nothing was stored anywhere
        return false;
    if (number == HALVES_EXCHANGED && (f->j_min % 16 >= 8 || f->j_max % 16 < 8)) // one has both
        return false;
    return told > (f->wrong < f->examined || number == OFF_BY_SAME ? 2 : 0) &&
           2 * told >= f->probed && f->explained[number] == told;
}

// The one mistake that explains all wrong elements; some have two forms. One that says where they
// are, at an edge, comes before those of k.
static struct cause only_mistake(const struct findings *f)
{
    struct cause found = none;
    for (int edges = 1; edges >= 0 && found.kind == NULL; edges--)
        for (int m = 0; m < MISTAKES; m++) {
            bool edge = is_kind(mistakes[m].cause, "edge");
            if (m == SCALED || edge != (edges > 0) || !explains(f, m)) // 2 and -1 are mistakes
                continue;
            if (found.kind != NULL && strcmp(found.text, mistakes[m].cause.text) != 0)
                return none;
            found = mistakes[m].cause;
        }
    if (found.kind != NULL || !explains(f, SCALED))
        return found;
    struct cause scaled = {"sum", ""};
    double by = f->got / f->expected;
    if (fabs(by * f->K - 1) < 1e-3)
        snprintf(scaled.text, sizeof scaled.text,
                 "every element is divided by %d, which is K: C is the sum, not its mean", f->K);
    else if (f->wrong == 1) // which is some multiple of anything
        return none;
    else
        snprintf(scaled.text, sizeof scaled.text,
                 "every element is %.3g times what it should be: what is the sum multiplied by?",
                 by);
    return scaled;
}

// The layout that explains all: the one of the fewest matrices.
static struct cause only_layout(const struct findings *f)
{
    int found = 0;
    for (int wrong = 1; wrong <= 3 && found == 0; wrong++)
        for (int layout = 1; layout < LAYOUTS; layout++)
            if (matrices_of(layout) == wrong && explains(f, FIRST_LAYOUT + layout)) {
                if (found != 0)
                    return none;
                found = layout;
            }
    return found == 0 ? none : layout_cause(found, f);
}

struct cause computed_cause(const struct findings *f)
{
    struct cause layout = only_layout(f);
    return layout.kind != NULL ? layout : only_mistake(f);
}

// Elements of another row or column, where one distance explains all.
static struct cause only_shift(const struct findings *f)
{
    int found = -1;
    for (int s = 0; s < SHIFTS; s++)
        if (explains(f, FIRST_SHIFT + s)) {
            if (found >= 0)
                return none;
            found = s;
        }
    if (found < 0)
        return none;
    struct shift by = shift(found);
    struct region region = wrong_region(f);
    bool bottom = only_bottom(f), right = only_right(f);
    struct cause cause = {bottom || right ? "edge" : "index", ""};
    int far = abs(by.rows + by.columns);
    const char *what = right                    ? "only the last, partial tile of columns: it"
                       : bottom                 ? "only the last, partial tile of rows: it"
                       : region.text[0] != '\0' ? region.text
                                                : "wrong elements";
    snprintf(cause.text, sizeof cause.text, "%s hold%s what belongs %d %s%s %s", what,
             bottom || right || region.single ? "s" : "", far, by.rows != 0 ? "row" : "column",
             far > 1 ? "s" : "",
             by.rows > 0      ? "further down"
             : by.rows < 0    ? "further up"
             : by.columns > 0 ? "to the right"
                              : "to the left");
    return cause;
}

// Rows run to N and columns to M: then those from M on are never written, and behind the last row
// others are.
static bool m_and_n_exchanged(const struct findings *f)
{
    return f->M < f->N && f->poison == f->wrong && f->j_min == f->M &&
           f->wrong == (long)(f->N - f->M) * f->M;
}

// Of the last tile of columns none is written, and as many are behind it, at the end of where a
// whole tile would be.
static bool lanes_from_the_end(const struct findings *f)
{
    int left = f->N % f->tile.n;
    return only_right(f) && f->poison == f->wrong && f->wrong == (long)left * f->M &&
           f->guard_words[2] == left && f->guard_at[2] == (long)f->M * f->N - 2 * left + f->tile.n;
}

#define BEFORE "an index below 0, or a buffer of its own that is too short"

// Who writes past the end of a buffer of its own gets to what lies before a matrix, and may go on
// through it.
static struct cause by_guards(const struct findings *f)
{
    struct cause cause = {"outside", ""};
    for (int m = 0; m < 3; m++)
        if (f->guard_words[m] > 0 && f->guard_at[m] < 0) {
            snprintf(cause.text, sizeof cause.text,
                     "the kernel writes what lies before %c: " BEFORE, "ABC"[m]);
            return cause;
        }
    if (f->guard_words[2] > 0 && m_and_n_exchanged(f))
        return (struct cause){
            "outside",
            "the kernel writes outside C: M and N exchanged, rows run to M and columns to N"};
    if (f->guard_words[2] > 0) {
        // Less than a row of C is written behind it by a last row that is too long.
        bool few = f->guard_words[2] < f->N && f->guard_words[2] < f->tile.n;
        // What a row that is too long writes into the next one, is written there again.
        bool longer = f->wrong == 0 && f->guard_words[2] < f->N && f->M > 1;
        if (few && lanes_from_the_end(f))
            return (struct cause){
                "outside",
                "the kernel writes outside C: in the last tile a mask leaves out the first lanes, "
                "and not the last ones"};
        struct cause layout = computed_cause(f);
        if (is_kind(layout, "index")) {
            snprintf(cause.text, sizeof cause.text, "the kernel writes outside C: %.200s",
                     layout.text);
            return cause;
        }
        // A part of each tile that is stored too far to the right; the last one's is outside.
        struct region gap = unwritten_columns(f);
        if (gap.text[0] != '\0' && f->poison < f->wrong) {
            snprintf(cause.text, sizeof cause.text,
                     "the kernel writes outside C, and %s %s never written: is this part of a tile "
                     "stored at another place?",
                     gap.text, gap.single ? "is" : "are");
            return cause;
        }
        bool rows = f->M % f->tile.m != 0 && !few, columns = f->N % f->tile.n != 0 && few;
        // Where all of C is right, its rows are.
        // The row behind the last one, and where it is so of columns, an element more.
        bool one = (f->guard_words[2] == f->N || f->guard_words[2] == f->N + 1) &&
                   f->guard_at[2] == (long)f->M * f->N && (f->M + 1) % f->tile.m != 0;
        const char *edge = one && rows ? "row M, and maybe column N: is there <= where < belongs"
                           : rows      ? "rows past M, in the last tile, are not left out"
                           : columns   ? "columns past N, in the last tile, are not left out"
                           : longer    ? "does a loop over columns end at N?"
                           : f->wrong == 0 && !few ? "does the loop over rows end at M?"
                                                   : NULL;
        // An edge alone leaves most of C right.
        bool most = f->wrong > f->examined / 2;
        snprintf(cause.text, sizeof cause.text, "the kernel writes outside C: %s%s%s",
                 edge != NULL ? edge : "", edge != NULL && most ? ", or " : "",
                 edge != NULL && !most ? "" : "rows of C not N long");
        return cause;
    }
    if (f->guard_words[0] + f->guard_words[1] == 0)
        return none;
    snprintf(cause.text, sizeof cause.text, "the kernel writes outside %c",
             f->guard_words[0] > 0 ? 'A' : 'B');
    return cause;
}

// The nearest element that holds the same, where all have one.
static struct cause only_twin(const struct findings *f)
{
    for (int t = 0; t < TWINS; t++)
        if (explains(f, FIRST_TWIN + t)) {
            struct shift by = twin(t);
            bool rows = by.rows > 0;
            struct cause cause = {"sum", ""};
            int first = rows ? f->i_min : f->j_min, limit = rows ? f->N : f->K;
            long past = (long)((rows ? f->M : f->N) - limit) * (rows ? f->N : f->M);
            if (first == limit && f->wrong == past) {
                snprintf(cause.text, sizeof cause.text,
                         "from %c on %ss hold the same: the last one is %c-1, and not %c-1",
                         rows ? 'N' : 'K', rows ? "row" : "column", rows ? 'M' : 'N',
                         rows ? 'N' : 'K');
                return cause;
            }
            snprintf(cause.text, sizeof cause.text,
                     "%ss that are %d apart hold the same: has each its own sum, and its own %s?",
                     rows ? "row" : "column", rows ? by.rows : by.columns,
                     rows ? "row of A" : "column of B");
            return cause;
        }
    return none;
}

// What was done to memory.
static struct cause by_memory(const struct findings *f)
{
    static const struct cause inputs[] = {{"outside", "the kernel writes to A, its input"},
                                          {"outside", "the kernel writes to B, its input"}};
    const struct stray *s = &f->stray;
    struct cause guards = by_guards(f);
    if (guards.kind != NULL)
        return guards;
    if (s->matrix != 0 && s->at >= 0 && s->at <= s->last)
        return inputs[s->matrix - 'A'];
    if (s->matrix != 0) {
        struct cause stray = {"outside", ""};
        bool reads_c = s->matrix == 'C' && strcmp(s->verb, "reads") == 0; // it is there to write
        snprintf(stray.text, sizeof stray.text, "%s%s %s %c: %s", s->line, s->verb,
                 s->at < 0 ? "what lies before" : "past the end of", s->matrix,
                 s->at >= 0 ? "a mask, or a test for the edge, is missing"
                 : reads_c  ? "an index of B that is far too large, or one of C below 0"
                            : BEFORE);
        return stray;
    }
    for (int m = 0; m < 2; m++)
        if (f->input_changes[m] > 0)
            return inputs[m];
    return none;
}

// What a kernel keeps from call to call, which other inputs of the same shape make wrong.
static struct cause by_kept(const struct findings *f)
{
    static const char *const words[] = {[OF_A] = "A is still what it was",
                                        [OF_B] = "B is still what it was",
                                        [OF_A + OF_B] = "A and B are still what they were"};
    struct cause cause = {"stale", ""};
    if (f->kept == 0)
        return none;
    snprintf(cause.text, sizeof cause.text,
             "right if %s in the call before, of the same shape: what is kept must be made anew "
             "in each call",
             words[f->kept]);
    return cause;
}

// What was never written comes back, and what was, holds something else.
static struct cause stored_elsewhere(const struct findings *f)
{
    struct cause elsewhere = {"index", ""};
    struct region gap = unwritten_columns(f);
    if (gap.text[0] == '\0')
        gap = unwritten_rows(f);
    if (f->unwritten == 0 || f->unwritten < f->poison || gap.text[0] == '\0')
        return none;
    // Items that store at one place come in any order; then all but the first of each are missing.
    int size = gap.period > 0 ? gap.period : gap.rows ? f->M : f->N;
    if (f->changed[AGAIN] > 0 && (gap.from != 1 || gap.to != size - 1))
        return none;
    snprintf(elsewhere.text, sizeof elsewhere.text,
             "%s %s never written, and others hold what belongs there: is a part of C's index "
             "missing, as an item's ID?",
             gap.text, gap.single ? "was" : "were");
    return elsewhere;
}

// What C looks like, and what the trials say.
static struct cause by_content(const struct findings *f)
{
    struct cause kept = by_kept(f);
    if (kept.kind != NULL)
        return kept;
    if (f->unset > 0 && f->unset == f->wrong)
        return (struct cause){"sum", "a variable that was never set: is each sum 0 before the "
                                     "first product is added?"};
    struct cause computed = computed_cause(f);
    if (computed.kind != NULL)
        return computed;
    if (only_at_i_i(f))
        return (struct cause){"index", "only what lies at C[i*N + i] is written: (i,j) belongs at "
                                       "C[i*N + j]"};
    struct cause shifted = only_shift(f);
    if (shifted.kind != NULL)
        return shifted;
    struct cause twins = only_twin(f);
    if (twins.kind != NULL)
        return twins;
    struct cause elsewhere = stored_elsewhere(f);
    if (f->changed[AGAIN] > 0)
        return elsewhere.kind != NULL
                   ? elsewhere
                   : (struct cause){"race",
                                    "changes from run to run: a race, or memory that nobody "
                                    "wrote: make race"};
    bool bottom = only_bottom(f), right = only_right(f);
    bool poisoned = f->poison == f->wrong && f->changed[OTHER_C] == f->unwritten;
    if (poisoned && f->unwritten > 0)
        return by_unwritten(f);
    if (f->cut == f->wrong && f->after_integers && !REAL_IS_INT && f->wrong > f->examined / 2)
        return (struct cause){
            "narrow", "whole numbers are right, of others the fraction is lost: is the sum, "
                      "or an operand, an int?"};
    struct region region = wrong_region(f);
    if (f->zero == f->wrong && region.text[0] != '\0' && f->tile.k == 1) {
        struct cause zeros = {"sum", ""};
        snprintf(zeros.text, sizeof zeros.text,
                 "%s %s 0: is anything added to their sums, in a loop over all of an item's?",
                 region.text, region.single ? "is" : "are");
        return zeros;
    }
    if (f->zero == f->wrong && region.text[0] != '\0') {
        struct cause zeros = {f->tile.k > 1 ? "tile" : "unwritten", ""};
        snprintf(zeros.text, sizeof zeros.text,
                 "%s %s 0: is all of the tile loaded, and each sum stored?", region.text,
                 region.single ? "is" : "are");
        return zeros;
    }
    if (f->zero == f->wrong && f->wrong > f->examined / 2)
        return f->K < f->tile.k
                   ? (struct cause){"unwritten", "zeros, and K is less than a tile: is a "
                                                 "partial tile of k left out, or no sum stored?"}
                   : (struct cause){
                         "unwritten",
                         "zeros: was the sum ever stored? Is it set to 0 after its products, or "
                         "multiplied by them, *= where += belongs?"};
    struct region sole = sole_region(f);
    // A tile of which a part is loaded may look like one sum for several elements.
    if (sole.text[0] != '\0' && (sole.first || f->tile.k > 1)) {
        struct cause part = {f->tile.k > 1 ? "tile" : "sum", ""};
        snprintf(part.text, sizeof part.text, "only %s %s not 0, and wrong: %s%s%s", sole.text,
                 sole.single ? "is" : "are", f->tile.k > 1 ? "is all of the tile loaded" : "",
                 f->tile.k > 1 && sole.first ? ", and " : "",
                 sole.first ? "has each element its own sum?" : "?");
        return part;
    }
    long cleared = (long)f->i * f->N + f->j;
    if (f->added && cleared > 0 && f->wrong == (long)f->M * f->N - cleared) {
        struct cause part = {"sum", ""};
        snprintf(part.text, sizeof part.text,
                 "is added to what C held before, but for the first %ld elements: is all of C set "
                 "to 0? memset counts bytes",
                 cleared);
        return part;
    }
    if (f->added)
        return (struct cause){
            "sum", "depends on what C held before: C is to be overwritten, not added to"};
    // A buffer whose message was not waited for holds what was in that memory before.
    if (f->changed[OTHER_C] > f->unwritten && f->messages)
        return (struct cause){"race", "depends on what C held before, or on when a message comes: "
                                      "is C overwritten, and each message waited for?"};
    if (f->changed[OTHER_C] > f->unwritten)
        return (struct cause){"race", "depends on what memory held before: C, a sum or a tile is "
                                      "read that nobody has written: make race"};
    if (f->beside.kind != NULL)
        return f->beside;
    if (f->changed[OTHER_A] > 0)
        return (struct cause){"outside",
                              "reads outside A: the result depends on what lies beside it"};
    if (f->changed[OTHER_B] > 0)
        return f->wrong == f->examined
                   ? (struct cause){"outside",
                                    "reads outside B: does k end at K, and are rows of B "
                                    "N long? The result depends on what lies beside it"}
                   : (struct cause){"outside",
                                    "reads outside B: the result depends on what lies beside it"};
    // None of the inputs is, and what lay in C, or just beside A or B, makes no difference.
    bool only_nan = f->nan == f->wrong && f->trials >= OTHER_C && f->unwritten == 0 && f->wrong > 2;
    if (only_nan && bottom != right && f->tile.k > 1) {
        struct cause returned = {"race", ""};
        snprintf(returned.text, sizeof returned.text,
                 "only the last, partial tile of %s is NaN: do those past %c load their part of "
                 "each tile, too, and return before no barrier?",
                 bottom ? "rows" : "columns", bottom ? 'M' : 'N');
        return returned;
    }
    if (only_nan)
        return f->tile.k > 1 && f->K % f->tile.k != 0
                   ? (struct cause){"tile", "NaN, which no element of A or B is, and K is no "
                                            "multiple of a tile: is what lies past K in the last "
                                            "tile, in A's and in B's, set to 0? Or is a leading "
                                            "dimension wrong?"}
                   : (struct cause){"outside", "NaN, which no element of A or B is: 0/0, or "
                                               "reads far outside of them, past the end of a tile, "
                                               "or memory that nobody wrote"};
    if (elsewhere.kind != NULL)
        return elsewhere;
    struct cause narrower = only_narrowing(f);
    if (narrower.kind != NULL)
        return narrower;
    if (bottom && right)
        return (struct cause){
            "edge", "only the corner tile: an edge cut off in one direction but not in both"};
    if (bottom)
        return (struct cause){"edge",
                              "only the last, partial tile of rows: how are rows past M left out?"};
    if (right)
        return (struct cause){
            "edge", "only the last, partial tile of columns: how are those past N left out?"};
    if (f->edges == f->wrong && f->M > f->tile.m && f->N > f->tile.n && f->wrong > 2)
        return (struct cause){"edge", "only the last, partial tiles of rows and of columns: does "
                                      "each load, and each store, test what it needs itself?"};
    if (region.text[0] != '\0' && f->examined == (long)f->M * f->N) {
        struct cause part = {"index", ""};
        snprintf(part.text, sizeof part.text,
                 "%s %s wrong, and no others: in which index, or loop, are they different?",
                 region.text, region.single ? "is" : "are");
        return part;
    }
    return none;
}

struct cause likely_cause(const struct findings *f, const struct outcome *outcomes, int count)
{
    if (f->refused != NOTHING_LACKS) {
        struct cause refused = {"memory", ""};
        snprintf(refused.text, sizeof refused.text, "%s", lack_in_words(f->refused));
        return refused;
    }
    struct cause cause = by_memory(f), shapes = by_shapes(f, outcomes, count);
    if (cause.kind == NULL && f->wrong > 0)
        cause = by_content(f);
    // What one shape shows of its edge, others may show to be about something else.
    bool at_edge = is_kind(cause, "edge") || is_kind(cause, "unwritten");
    if (is_kind(cause, "edge") && wrong_without_edges(f, outcomes, count))
        cause = none;
    bool better = at_edge && (is_kind(shapes, "index") || is_kind(shapes, "unwritten"));
    return cause.kind == NULL || better ? shapes : cause;
}
