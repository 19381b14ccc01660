// SPDX-License-Identifier: MIT
// Between the files that look for the cause of a wrong result.
//
//     mistakes.c       what common mistakes compute
//     layouts.c        the same of wrong leading dimensions
//     probe.c          what they would leave in C
//     narrow.c         what fewer bits would leave there
//     where.c          what indices and shapes tell
//     likely_cause.c   what is told of all that
#ifndef CAUSE_H
#define CAUSE_H

#include "diagnosis/findings.h"

// An element of C, and the tile that it is in.
struct place {
    size_t M, N, K, row, col;
    size_t tile_m, tile_n, tile_k, last_tile; // the last one's first k
    int number;                               // of a layout
    enum trial trial;                         // in which what lies around A, or B, is 0
};

// One of the K terms of an element: so many times A.data[a] * B.data[b]; or ADDED, their sum.
struct product {
    size_t a, b;
    int count;
};
enum { ADDED = 1 << 30 };

// A common mistake has other terms; or it leaves another element there, or one of several, as
// work-groups have no order; or none: then there is not even the first one, number 0.
typedef struct product product_of(const struct place *at, size_t k);
typedef bool element_at(struct place *at, int nth);
struct mistake {
    product_of *product;
    element_at *moved;
    int tiles; // of k that it takes to tell the mistake from others; 0: it is not about tiles
    struct cause cause;
};
extern const struct mistake mistakes[MISTAKES];

product_of laid_out;
element_at stored_there;
bool can_be_told(const struct place *at); // is at->number no other layout in this shape?
int matrices_of(int layout);              // that are laid out otherwise
struct cause layout_cause(int layout, const struct findings *f);

// So many rows or columns further: 1 to 128, to either side.
struct shift {
    int rows, columns;
};
struct shift shift(int number);
struct shift twin(int number); // one way; it may be the other one

// Compares a wrong element with what fewer bits in the operands, or in the sum, would have left
// there.
void probe_narrow(const struct problem *p, struct findings *f, const struct place *at, double got,
                  double expected, double magnitude);
struct cause only_narrowing(const struct findings *f); // that explains nearly all of the error

// The one way to lay out the matrices, or mistake, that explains all wrong elements.
struct cause computed_cause(const struct findings *f);
// Is all that is wrong in the last, partial tile of rows, or of columns?
bool only_bottom(const struct findings *f);
bool only_right(const struct findings *f);
// All rows or columns of which most is wrong: "columns 8 to 15 of each 16"; "" where it is no such
// thing.
struct region {
    char text[128];
    bool rows, single; // a row, or a column
    int from, to, period;
    bool first; // of a sole one: it has the first row and column
};
struct region wrong_region(const struct findings *f);
// The columns, or rows, that were never written, as far as they come back.
struct region unwritten_columns(const struct findings *f);
struct region unwritten_rows(const struct findings *f);
// Of wrong ones, all that are not 0, in these rows and these columns; the others are 0.
struct region sole_region(const struct findings *f);
bool only_at_i_i(const struct findings *f);          // was anything written?
struct cause by_unwritten(const struct findings *f); // where no element that is wrong was written
struct cause by_shapes(const struct findings *f, const struct outcome *outcomes, int count);
// Is a shape of full tiles of C wrong, too?
bool wrong_without_edges(const struct findings *f, const struct outcome *outcomes, int count);

#endif
