// SPDX-License-Identifier: MIT
// What verify() finds wrong with C, and what diagnosis/ adds to it.
#ifndef FINDINGS_H
#define FINDINGS_H

#include "lab.h"
#include "guest/room.h"

enum { MAP_ROWS = 16, MAP_COLS = 32 };

// The likely cause of a wrong result.
struct cause {
    const char *kind; // NULL: none can be named. The kinds: docs/records.md
    char text[256];   // in one line
};

// A wrong run is done again, with nothing changed and then with one thing changed at a time.
// OTHER_B has another A, too; ONCE_MORE is AGAIN, as what is random may be the same by luck.
enum trial { AS_IT_WAS, AGAIN, OTHER_C, OTHER_A, OTHER_B, ONCE_MORE, TRIALS };

// An access of the kernel beside a matrix: guest.c.
struct stray {
    char matrix;      // A, B or C; 0: nothing
    const char *verb; // reads, writes, or touches if the CPU does not say
    long at, last;    // that element; the matrix has 0 to last
    char line[64];    // "kernel.c:21 ", "" if it is unknown
};

// More bits of an element of C, beside those of verify(): lab.h.
enum { UNWRITTEN = 4, NOT_ZERO = 8, SAMPLED = 16 };

struct findings {
    int M, N, K; // the problem
    struct tile tile;
    enum data_set set;
    uint32_t seed;
    struct found found; // by verify()
    bool messages;      // the kernel is one of several ranks that send each other what they need
    struct stray stray;
    enum lack refused;    // memory, to the kernel
    enum trial trials;    // trials.c: the last one that was done
    long changed[TRIALS]; // elements of C that are not the same; of ONCE_MORE, too, in AGAIN
    long unwritten;       // elements that keep in every trial what was there before
    bool added;           // in a trial C is the product, and what was there before
    struct cause beside;  // the cause if 0 lies beside A, or B
    int kept; // C is right with A, B or both of the call before: OF_A, OF_B, OF_A + OF_B
    int i_min, i_max, j_min, j_max;       // diagnose.c: where the wrong ones are
    long poison, nan, zero, unset, edges; // infinite is a NaN here; in a partial tile
    long cut;                             // whole numbers, and 0 or less than 1 off
    bool after_integers;                  // which were tried before, and were right
    int map_wrong[MAP_ROWS][MAP_COLS], map_seen[MAP_ROWS][MAP_COLS];
    struct cause cause; // what all this tells; likely_cause() adds what other shapes tell
};

// What became of one shape.
struct outcome {
    int M, N, K;
    const char *group;  // what kind of shape, "" for a size of your own
    const char *method; // how it was verified
    bool right;
    const char *verdict; // pass, fail, or how its process ended; NULL: it is in work
};
#endif
