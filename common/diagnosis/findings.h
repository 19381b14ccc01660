// SPDX-License-Identifier: MIT
// What is wrong with C, and what is made of it.
//
//     probe.c          what common mistakes would leave in C; with mistakes.c and layouts.c
//     explain.c        what is wrong, for people
//     likely_cause.c   what the cause may be; with where.c
//     trials.c         a wrong run is done again, with one thing changed at a time
//
// and in failure.h what a session does about it.
#ifndef FINDINGS_H
#define FINDINGS_H

#include "diagnosis/room.h"
#include "fill.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAP_ROWS = 16, MAP_COLS = 32, PERIOD = 256 };

// Rows, or columns, that come back: as many as tiles of that size have, up to PERIOD.
static inline int period_of(int tile)
{
    return tile > PERIOD ? PERIOD : PERIOD / tile * tile;
}

// The likely cause of a wrong result.
struct cause {
    const char *kind; // NULL: none can be named. Which kinds there are: docs/records.md
    char text[256];   // in one line
};

// What may be compared with common mistakes: mistakes.c. The first five are not computed from A
// and B alone; a layout is one of A, B and C: layouts.c; a shift is what belongs in another row or
// column, and a twin what another one holds as well.
enum { CARRIED_ON, CARRIED_ON_TILE, CARRIED_ON_ITEM, OFF_BY_SAME, SCALED, COMPUTED };
enum { HALVES_EXCHANGED = COMPUTED, MISTAKES = COMPUTED + 113 };
enum { LAYOUTS = 125, SHIFTS = 32, TWINS = 16 };
enum {
    FIRST_LAYOUT = MISTAKES,
    FIRST_SHIFT = FIRST_LAYOUT + LAYOUTS,
    FIRST_TWIN = FIRST_SHIFT + SHIFTS
};
enum { ALL_PROBES = FIRST_TWIN + TWINS };
// Ways to compute with fewer bits: narrow.c.
enum { NARROWINGS = 288 };

// A wrong run is done again, with nothing changed and then with one thing changed at a time.
// OTHER_B has another A, too; ONCE_MORE is AGAIN, as what is random may be the same by luck.
enum trial { AS_IT_WAS, AGAIN, OTHER_C, OTHER_A, OTHER_B, ONCE_MORE, TRIALS };

enum { OF_A = 1, OF_B = 2 };

// What a kernel touched where there is nothing beside a matrix: guest.c.
struct stray {
    char matrix;      // A, B or C; 0: nothing
    const char *verb; // reads, writes, or touches where the CPU does not say
    long at, last;    // that element; the matrix has 0 to last
    char line[64];    // "kernel.c:21 ", "" where nobody knows
};

// What verify() finds wrong, and what the trials add; explain() turns it into sentences.
struct findings {
    int M, N, K; // the problem
    struct tile tile;
    bool messages; // the kernel is one of several ranks that send each other what they need
    enum data_set set;
    uint32_t seed;
    struct stray stray;
    enum lack refused;                  // memory, to the kernel
    long guard_words[3], guard_at[3];   // changed, of A, B, C
    long input_changes[2], input_at[2]; // of A, B
    long rows_failed;                   // by Freivalds' test, where it was used
    long wrong, examined;               // elements of C
    double errors, largest_error;       // of these: the sum of |got - expected|, and the most
    int i, j;                           // the first wrong one
    double got, expected, bound;
    int i_min, i_max, j_min, j_max;   // where the wrong ones are
    long poison, nan, zero, unset;    // what they look like
    long diagonal, items_diagonal;    // of their tile, or of 16 x 16 items
    long above, below;                // the diagonal of C
    long skew_poison;                 // where C[i*N + i] is
    long edges;                       // in a partial tile of rows, or of columns
    long cut;                         // whole numbers, and 0 or less than 1 off
    bool after_integers;              // which were tried before, and were right
    long probed;                      // how many of them were compared with common mistakes
    int wrong_rows, last_row, in_row; // rows with wrong ones by then, the last, and how many in it
    long told[ALL_PROBES];            // for how many of these one can tell
    long explained[ALL_PROBES];       // and how many the mistake explains
    double squares;                   // of their errors, the sum
    double unexplained[NARROWINGS];   // and of what a narrowing leaves of them
    int map_wrong[MAP_ROWS][MAP_COLS], map_seen[MAP_ROWS][MAP_COLS];
    // Elements whose row, or column, is so much more than a multiple of period_of() the tile.
    long row_wrong[PERIOD], row_seen[PERIOD], column_wrong[PERIOD], column_seen[PERIOD];
    long row_not_zero[PERIOD], column_not_zero[PERIOD]; // of the wrong ones
    long row_poison[PERIOD], column_poison[PERIOD];     // never written
    enum trial trials;                                  // the last one that was done
    long changed[TRIALS]; // elements of C that are not the same; of ONCE_MORE, too, in AGAIN
    long unwritten;       // elements that keep in every trial what was there before
    bool added;           // in a trial C is the product, and what was there before
    struct cause beside;  // what is told where 0 lies beside A, or B
    int kept; // C is right with A, B or both of the call before: OF_A, OF_B, OF_A + OF_B
};

// What became of one shape.
struct outcome {
    int M, N, K;
    const char *group;  // what kind of shape, "" for a size of your own
    const char *method; // how it was verified
    bool right;
};

// What a wrong result may depend on is changed: zeros around an input, ones in C. Guards and poison
// are there.
void prepare_trial(struct problem *p, enum trial trial);
// What `trial` left in C, compared with what was there when the run failed. C is lost.
void compare_trial(struct findings *f, enum trial trial, struct problem *p, const real *failed);
// Is the C that failed right with A, or B, of another call of this shape, before it?
void compare_kept(struct findings *f, struct problem *p, real *former_a, real *former_b);
void explain(const struct problem *p, const struct findings *f, FILE *out);
// A label, and behind it words in lines of 80 columns.
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void print_wrapped(FILE *out, const char *label, const char *format, ...);
// Where the evidence singles one out; `outcomes` are those of the battery's shapes, or of the one
// problem there is.
struct cause likely_cause(const struct findings *f, const struct outcome *outcomes, int count);
// Compares a wrong element with what common mistakes would have left there. magnitude: the root
// of the sum of its products' squares.
void probe(const struct problem *p, struct findings *f, int i, int j, double expected,
           double magnitude);

#ifdef __cplusplus
}
#endif
#endif
