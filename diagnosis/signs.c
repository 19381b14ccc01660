// SPDX-License-Identifier: MIT
// Causes that are not a sum: decision tables, of which the first row that fits is named. They look
// at memory around the matrices, at the trials, and at the place of what is wrong.
#include "diagnosis/cause.h"
#include "guest/room.h"

#include <string.h>

#define OUTSIDE_C "the kernel writes outside C"
#define BEFORE "an index below 0, or a buffer of its own that is too short"

// clang-format off

// ---- what was done to memory --------------------------------------------------------------------
static struct cause outside_c(const struct evidence *e)
{
    const struct findings *f = e->f;
    const struct found *is = &f->found;
    const struct axis columns = axis_of(f, false);
    const long words = is->guard_words[2], past = is->guard_at[2] - (long)f->M * f->N;
    const int left = f->N % f->tile.n;
    // A last row that is too long writes less than a row of C after it.
    const bool few = words < f->N && words < f->tile.n, some = is->wrong > 0,
               unwritten = f->poison == is->wrong, rest = f->M % f->tile.m != 0 && !few;
    // One row too many; one element more if there is one column too many.
    const bool one = (words == f->N || words == f->N + 1) && past == 0 && (f->M + 1) % f->tile.m;
    const struct cause mistake = only_mistake(e);
    const struct region gap = unwritten ? (struct region){.text = ""} : marked_region(f, UNWRITTEN);
    // An edge alone leaves most of C right.
    const char *or_rows = is->wrong > is->examined / 2 ? ", or rows of C not N long" : "";
    return first_of((const struct rule[]){
        // As many elements are written after C as columns from M on are not.
        {unwritten && columns.to_end && columns.first == f->M, "outside", "", 0,
         OUTSIDE_C ": M and N exchanged, rows run to M and columns to N"},
        // The last tile's columns are never written. The lanes after them are, up to a whole tile.
        {unwritten && few && columns.partial && is->wrong == (long)left * f->M && words == left &&
         past == f->tile.n - 2 * left, "outside", "", 0,
         OUTSIDE_C ": in the last tile a mask leaves out the first lanes, and not the last ones"},
        {is_kind(mistake, "index"), "outside", mistake.text, 0, OUTSIDE_C ": @"},
        // It is stored too far to the right, and for the last tile outside C.
        {gap.text[0] != '\0' && !gap.rows, "outside", gap.are, 0,
         OUTSIDE_C ", and @ never written: is this part of a tile stored at another place?"},
        {one && rest, "outside", or_rows, 0,
         OUTSIDE_C ": row M, and maybe column N: is there <= where < belongs@"},
        {rest, "outside", or_rows, 0,
         OUTSIDE_C ": rows past M, in the last tile, are not left out@"},
        {left != 0 && few, "outside", or_rows, 0,
         OUTSIDE_C ": columns past N, in the last tile, are not left out@"},
        // A row that is too long writes into the next one, which overwrites that.
        {!some && words < f->N && f->M > 1, "outside", "", 0,
         OUTSIDE_C ": does a loop over columns end at N?"},
        {!some && !few, "outside", "", 0, OUTSIDE_C ": does the loop over rows end at M?"},
        {true, "outside", "", 0, OUTSIDE_C ": rows of C not N long"},
    });
}

// The process was stopped at this access.
static struct cause by_stray(const struct stray *s)
{
    const char matrix[] = {s->matrix, '\0'};
    char access[96];
    snprintf(access, sizeof access, "%s%s %s %c", s->line, s->verb,
             s->at < 0 ? "what lies before" : "past the end of", s->matrix);
    return first_of((const struct rule[]){
        {s->at >= 0 && s->at <= s->last, "outside", matrix, 0, "the kernel writes to @, its input"},
        {s->at >= 0, "outside", access, 0, "@: a mask, or a test for the edge, is missing"},
        {s->matrix == 'C' && strcmp(s->verb, "reads") == 0, "outside", access, 0, // it is there
         "@: an index of B that is far too large, or one of C below 0"},          // to write
        {true, "outside", access, 0, "@: " BEFORE},
    });
}

struct cause by_memory(const struct evidence *e)
{
    static const char *const names[] = {"A", "B", "C"};
    const struct findings *f = e->f;
    const char *before = NULL, *outside = NULL, *input = NULL;
    for (int m = 2; m >= 0; m--) {
        before = f->found.guard_words[m] > 0 && f->found.guard_at[m] < 0 ? names[m] : before;
        outside = f->found.guard_words[m] > 0 ? names[m] : outside;
        input = m < 2 && f->found.input_changes[m] > 0 ? names[m] : input;
    }
    if (f->refused == NOTHING_LACKS && before == NULL && f->found.guard_words[2] > 0)
        return outside_c(e);
    if (f->refused == NOTHING_LACKS && outside == NULL && f->stray.matrix != 0)
        return by_stray(&f->stray);
    return first_of((const struct rule[]){
        {f->refused != NOTHING_LACKS, "memory", lack_in_words(f->refused), 0, "@"},
        // Past the end of its own buffer a kernel gets to the memory before a matrix, and may go
        // on through it.
        {before != NULL, "outside", before, 0, "the kernel writes what lies before @: " BEFORE},
        {outside != NULL, "outside", outside, 0, "the kernel writes outside @"},
        {input != NULL, "outside", input, 0, "the kernel writes to @, its input"},
        {.fits = true},
    });
}

// ---- what C is made of --------------------------------------------------------------------------
// Inputs of an earlier call, and uninitialized variables.
struct cause by_origin(const struct evidence *e)
{
    const struct findings *f = e->f;
    static const char *const kept[] = {"", "A is still what it was", "B is still what it was",
                                       "A and B are still what they were"}; // OF_A, OF_B
    return first_of((const struct rule[]){
        {f->kept > 0, "stale", kept[f->kept], 0, "right if @ in the call before, of the same "
         "shape: what is kept must be made anew in each call"},
        {f->unset == f->found.wrong, "sum", "", 0,
         "a variable that was never set: is each sum 0 before the first product is added?"},
        {.fits = true},
    });
}

// Unwritten rows or columns repeat, and the others are wrong.
#define ELSEWHERE "@ never written, and others hold what belongs there: is a part of C's index "   \
                  "missing, as an item's ID?"
static bool is_elsewhere(const struct findings *f, const struct region *gap)
{
    return f->unwritten > 0 && f->unwritten >= f->poison && gap->text[0] != '\0';
}

// If C changes from run to run, only a mistake that explains all may still be named.
struct cause by_stability(const struct evidence *e)
{
    const struct findings *f = e->f;
    const struct region gap = marked_region(f, UNWRITTEN);
    // Items that store at one place come in any order; then all but the first of each are missing.
    const int size = gap.period > 0 ? gap.period : gap.rows ? f->M : f->N;
    const bool again = f->changed[AGAIN] > 0, but_first = gap.from == 1 && gap.to == size - 1;
    return first_of((const struct rule[]){
        {again && is_elsewhere(f, &gap) && but_first, "index", gap.were, 0, ELSEWHERE},
        {again, "race", "", 0,
         "changes from run to run: a race, or memory that nobody wrote: make race"},
        {.fits = true},
    });
}

static struct cause by_trials(const struct findings *f)
{
    const struct found *is = &f->found;
    const long cleared = (long)is->i * f->N + is->j;
    const bool all = is->wrong == is->examined, other_c = f->changed[OTHER_C] > f->unwritten;
    return first_of((const struct rule[]){
        {f->added && cleared > 0 && is->wrong == (long)f->M * f->N - cleared, "sum", "", cleared,
         "is added to what C held before, but for the first # elements: is all of C set to 0? "
         "memset counts bytes"},
        {f->added, "sum", "", 0,
         "depends on what C held before: C is to be overwritten, not added to"},
        // A buffer whose message was not waited for holds what was in that memory before.
        {other_c && f->messages, "race", "", 0, "depends on what C held before, or on when a "
         "message comes: is C overwritten, and each message waited for?"},
        {other_c, "race", "", 0, "depends on what memory held before: C, a sum or a tile is read "
         "that nobody has written: make race"},
        {f->beside.kind != NULL, f->beside.kind, f->beside.text, 0, "@"},
        {f->changed[OTHER_A] > 0, "outside", "", 0,
         "reads outside A: the result depends on what lies beside it"},
        {f->changed[OTHER_B] > 0, "outside", all ? "does k end at K, and are rows of B N long? The"
         : "the", 0, "reads outside B: @ result depends on what lies beside it"},
        {.fits = true},
    });
}

// Zeros, NaN, and what the trials have changed.
struct cause by_signs(const struct evidence *e)
{
    const struct findings *f = e->f;
    const struct found *is = &f->found;
    const struct region zeros = marked_region(f, WRONG), sole = sole_region(f),
                        gap = marked_region(f, UNWRITTEN);
    const bool zero = f->zero == is->wrong, zero_lines = zero && zeros.text[0] != '\0',
               only = sole.text[0] != '\0', tile = f->tile.k > 1,
               most = is->wrong > is->examined / 2,
               bottom = axis_of(f, true).partial, right = axis_of(f, false).partial;
    const struct cause trials = by_trials(f);
    // No input is NaN, and neither C's old values nor memory around A and B make a difference.
    const bool nan =
        f->nan == is->wrong && f->trials >= OTHER_C && !f->unwritten && is->wrong > 2;
    return first_of((const struct rule[]){
        {f->cut == is->wrong && f->after_integers && !REAL_IS_INT && most, "narrow", "", 0,
         "whole numbers are right, of others the fraction is lost: is the sum, or an operand, an "
         "int?"},
        {zero_lines && !tile, "sum", zeros.are, 0,
         "@ 0: is anything added to their sums, in a loop over all of an item's?"},
        {zero_lines, "tile", zeros.are, 0, "@ 0: is all of the tile loaded, and each sum stored?"},
        {zero && most && f->K < f->tile.k, "unwritten", "", 0, "zeros, and K is less than a tile: "
         "is a partial tile of k left out, or no sum stored?"},
        {zero && most, "unwritten", "", 0, "zeros: was the sum ever stored? Is it set to 0 after "
         "its products, or multiplied by them, *= where += belongs?"},
        // A tile of which a part is loaded may look like one sum for several elements.
        {only && tile && sole.first, "tile", sole.are, 0,
         "only @ not 0, and wrong: is all of the tile loaded, and has each element its own sum?"},
        {only && tile, "tile", sole.are, 0, "only @ not 0, and wrong: is all of the tile loaded?"},
        {only && sole.first, "sum", sole.are, 0,
         "only @ not 0, and wrong: has each element its own sum?"},
        {trials.kind != NULL, trials.kind, trials.text, 0, "@"},
        {nan && bottom != right && tile, "race", bottom ? "rows is NaN: do those past M"
         : "columns is NaN: do those past N", 0, "only the last, partial tile of @ load their part "
         "of each tile, too, and return before no barrier?"},
        {nan && tile && f->K % f->tile.k != 0, "tile", "", 0, "NaN, which no element of A or B is, "
         "and K is no multiple of a tile: is what lies past K in the last tile, in A's and in B's, "
         "set to 0? Or is a leading dimension wrong?"},
        {nan, "outside", "", 0, "NaN, which no element of A or B is: 0/0, half precision, whose "
         "largest number is 65504, or reads far outside of them, past the end of a tile, or memory "
         "that nobody wrote"},
        {is_elsewhere(f, &gap), "index", gap.were, 0, ELSEWHERE},
        {.fits = true},
    });
}

// Nothing is known but the place.
struct cause by_place(const struct evidence *e)
{
    const struct findings *f = e->f;
    const struct found *is = &f->found;
    const struct axis rows = axis_of(f, true), columns = axis_of(f, false);
    const struct region lines = marked_region(f, WRONG);
    const bool both = f->edges == is->wrong && rows.tiles > 1 && columns.tiles > 1 && is->wrong > 2;
    return first_of((const struct rule[]){
        {rows.partial && columns.partial, "edge", "", 0,
         "only the corner tile: an edge cut off in one direction but not in both"},
        {rows.partial, "edge", "", 0,
         "only the last, partial tile of rows: how are rows past M left out?"},
        {columns.partial, "edge", "", 0,
         "only the last, partial tile of columns: how are those past N left out?"},
        {both, "edge", "", 0, "only the last, partial tiles of rows and of columns: does each "
         "load, and each store, test what it needs itself?"},
        {lines.text[0] != '\0' && is->examined == (long)f->M * f->N, "index", lines.are, 0,
         "@ wrong, and no others: in which index, or loop, are they different?"},
        {.fits = true},
    });
}
