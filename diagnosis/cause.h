// SPDX-License-Identifier: MIT
// Shared by the files that look for the cause of a wrong result.
//
//     mistakes.def, mistakes.c   what common mistakes leave in C
//     compare.c                  the one of them that explains all wrong elements
//     narrow.c                   or lower precision
//     signs.c                    what trials, zeros, NaN and edges show
//     where.c                    the rows and columns that are wrong, or were never written
//     diagnose.c                 the cause, from all of these
//     likely_cause.c             or from the shapes that are wrong
#ifndef CAUSE_H
#define CAUSE_H

#include "diagnosis/diagnosis.h"

#include <stdint.h>

// Samples of the wrong elements: in the first, second, fourth, eighth ... row that has any, the
// first, second, fourth, eighth ... of them. They are in several tiles.
enum { OF_EACH = 8, SAMPLES = OF_EACH * OF_EACH };
struct sample {
    size_t i, j;
    double got, right, magnitude; // the last is the root of the sum of its products' squares
};

// A wrong result, and samples of it.
struct evidence {
    const struct problem *p;
    const struct findings *f; // with marks
    enum trial trial;         // in which C was computed
    struct sample samples[SAMPLES];
    int count;
};

// ---- mistakes.c ---------------------------------------------------------------------------------
struct place {
    const struct evidence *e;
    size_t i, j, n; // an element of C, and the number in the words of a row
    double right;
};

// In place of an index of A or B: an element that holds 0, and an unknown one.
#define PADDED (SIZE_MAX - 1)
#define UNKNOWN SIZE_MAX
#define NOWHERE PADDED // as an index of C
enum { ADDED = 1 << 30 };

// One of the terms of an element: `count` times A.data[a] * B.data[b], or their sum if `count` is
// ADDED. The element is stored at C.data[to]. A row of the form CARRIED has the element itself.
struct term {
    size_t a, b;
    int count;
    size_t to;
    double element;
};
// The forms of a row. Line 0 is no mistake.
enum form { SUM, STORED, CARRIED, OF_MATRIX_A, OF_MATRIX_B, OF_MATRIX_C, NEVER_WRITTEN };
struct mistake {
    int line; // 0: after the last one
    enum form form;
    struct cause cause; // # in its text is a number that is searched for, @ the wrong elements
};
extern const struct mistake mistakes[];
struct term term(int line, const struct place *at, size_t k);

// ---- compare.c ----------------------------------------------------------------------------------
struct cause only_mistake(const struct evidence *e);  // layouts, or a row without a number
struct cause only_numbered(const struct evidence *e); // a row with a number
struct cause only_lanes(const struct evidence *e);    // the products of some lanes of a vector

// ---- narrow.c -----------------------------------------------------------------------------------
struct cause only_narrowing(const struct evidence *e); // explains nearly all of the error
struct cause only_half(const struct evidence *e);      // too large for half precision

// ---- signs.c ------------------------------------------------------------------------------------
struct cause by_memory(const struct evidence *e);    // what was done to memory
struct cause by_origin(const struct evidence *e);    // inputs of an earlier call, no input at all
struct cause by_stability(const struct evidence *e); // it changes from run to run
struct cause by_signs(const struct evidence *e);     // zeros, NaN, what the trials have changed
struct cause by_place(const struct evidence *e);     // an edge, or rows or columns

// ---- where.c ------------------------------------------------------------------------------------
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
struct cause
caused(const char *kind, const char *format, ...);
// The words, with n for # and what for @.
struct cause worded(const char *kind, const char *words, size_t n, const char *what);
// A row of a decision table, whose last row always fits; without words it is no cause.
struct rule {
    bool fits;
    const char *kind, *what; // for @
    long n;                  // for #
    const char *words;
};
struct cause first_of(const struct rule *rules);
bool is_kind(struct cause cause, const char *kind);

// What is wrong, along the rows of C or along its columns.
struct axis {
    const char *name;            // "rows"
    int end, tile, tiles, first; // M, their size and number; the first wrong row
    bool partial;                // all that is wrong is in the last, partial tile
    bool to_end;                 // all rows from the first wrong one on are wrong, and only they
};
struct axis axis_of(const struct findings *f, bool rows);
int count_tiles(int size, int tile);

// Rows or columns that are mostly marked, and the others are not.
struct region {
    char text[96];            // "columns 8 to 15 of each 16"; "": there is no such pattern
    char are[104], were[104]; // "columns 8 to 15 of each 16 are"
    int from, to, period;     // 0: they do not repeat
    bool rows;                // not columns
    int marked;               // rows or columns that have any mark
    bool first;               // the first one has
};
struct region marked_region(const struct findings *f, int mark);
// The rows and columns of all wrong elements that are not 0, if the others are 0.
struct region sole_region(const struct findings *f);
struct cause by_unwritten(const struct evidence *e);
extern const struct cause dimensions_swapped;

#endif
