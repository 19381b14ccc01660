// SPDX-License-Identifier: MIT
// Shared by the files that look for the cause of a wrong result.
//
//     mistakes.def, mistakes.c   what common mistakes leave in C
//     compare.c                  which of them, and no other, explains what is wrong
//     narrow.c                   whether fewer bits explain it
//     where.c                    what rows and columns tell
//     diagnose.c                 the cause, from all that
//     likely_cause.c             or from the shapes that are wrong
#ifndef CAUSE_H
#define CAUSE_H

#include "diagnosis/diagnosis.h"

#include <stdint.h>

// Samples of the wrong elements: in the first, second, fourth, eighth ... row that has any, the
// first, second, fourth, eighth ... of them. They lie in several tiles.
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
    size_t i, j;
    double right;
};

// In place of an index of A or B: an element that holds 0, and one that is not known.
#define PADDED (SIZE_MAX - 1)
#define UNKNOWN SIZE_MAX
#define NOWHERE PADDED // nor is that an index of C
enum { ADDED = 1 << 30 };

// One of the terms of an element: `count` times A.data[a] * B.data[b], or their sum if `count` is
// ADDED. The element is stored at C.data[to]. A row of the form CARRIED has the element itself.
struct term {
    size_t a, b;
    int count;
    size_t to;
    double element;
};
// The forms of a row. Line 0 stands for no mistake.
enum form { SUM, STORED, CARRIED, OF_MATRIX_A, OF_MATRIX_B, OF_MATRIX_C, NEVER_WRITTEN };
struct mistake {
    int line; // 0: after the last one
    enum form form;
    struct cause cause;
};
extern const struct mistake mistakes[];
struct term term(int line, const struct place *at, size_t k);

// ---- compare.c ----------------------------------------------------------------------------------
// The layout, or else the row, that explains all wrong elements.
struct cause only_mistake(const struct evidence *e);
// The first products alone, or the last ones; or those of some lanes of a vector.
struct cause only_part(const struct evidence *e);
struct cause only_lanes(const struct evidence *e);
// The distance to the row or column to which all belong; or to one that holds the same.
struct cause only_shift(const struct evidence *e);
struct cause only_twin(const struct evidence *e);

// ---- narrow.c -----------------------------------------------------------------------------------
struct cause only_narrowing(const struct evidence *e); // that explains nearly all of the error
struct cause only_half(const struct evidence *e);      // that is not large enough

// ---- where.c ------------------------------------------------------------------------------------
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
struct cause
caused(const char *kind, const char *format, ...);
// Is all that is wrong in the last, partial tile of rows, or of columns?
bool only_bottom(const struct findings *f);
bool only_right(const struct findings *f);
// Rows or columns that are mostly wrong, or never written: "columns 8 to 15 of each 16", or "".
struct region {
    char text[128];
    bool rows, single; // a row, or a column
    int from, to, period;
    bool first; // of a sole one: it has the first row and column
};
struct region wrong_region(const struct findings *f);
struct region unwritten_region(const struct findings *f, bool rows);
// The rows and columns of all wrong elements that are not 0, if the others are 0.
struct region sole_region(const struct findings *f);
struct cause by_unwritten(const struct evidence *e); // where no element that is wrong was written
extern const struct cause dimensions_swapped;
int count_tiles(int size, int tile);

#endif
