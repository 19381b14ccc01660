// SPDX-License-Identifier: MIT
// The ranks of an MPI lab, in a grid, and the part that each has of A, B and C.
//
//     ranks.c        a program becomes as many ranks, which end together
//     distribute.c   rank 0 sends each its part, and has it back
//
// Rank 0 runs the session of lab.h. The others wait for what it has them do.
#ifndef RANKS_H
#define RANKS_H

#include "lab.h"

#include <mpi.h>

#define MPI_REAL_TYPE _Generic((real)0, float : MPI_FLOAT, double : MPI_DOUBLE, int : MPI_INT)

// Where this rank is, for the kernel to ask: what get_global_id() is in OpenCL.
struct grid {
    int ranks, rank;
    int rows, cols;     // ranks = rows * cols
    int row, col;       // of this rank
    int cores, nodes;   // that they can use at a time; machines
    MPI_Comm tool_comm; // for what is sent here, so that a kernel's messages are not taken for it
    MPI_Comm row_comm;  // the ranks of its row; in this communicator its own rank is `col`
    MPI_Comm col_comm;  // of its column: `row`
};
extern struct grid grid;

// Of `count` rows, or columns, each of `parts` ranks has a block: so many, and the last ones fewer,
// or none.
static inline int ceil_div(int count, int parts)
{
    return (count - 1) / parts + 1;
}

// The first that `index` has, and how many; who has number k.
static inline int first_of(int count, int parts, int index)
{
    long first = (long)ceil_div(count, parts) * index;
    return first < count ? (int)first : count;
}

static inline int size_of(int count, int parts, int index)
{
    return first_of(count, parts, index + 1) - first_of(count, parts, index);
}

static inline int owner_of(int k, int count, int parts)
{
    return k / ceil_div(count, parts);
}

// ---- ranks.c ----------------------------------------------------------------------------------
// Starts the program anew as so many ranks (0: one for each core; for --check 6), unless it is one
// of several already.
void begin_ranks(int ranks, char **argv);
void describe_ranks(struct lab *lab); // to the session, on rank 0
// Memory for `count` elements on every rank, or on none: then the program ends. All ranks call it.
real *allocate(size_t count);
// Are the ranks between two runs, so that rank 0 can have them end?
extern bool between_runs;

// ---- distribute.c -----------------------------------------------------------------------------
// On rank 0: all ranks are to compute this problem; `part` becomes its own part of it.
void order_run(const struct problem *whole, struct problem *part);
// On the others: waits for that; false: there is nothing left to do.
bool await_run(struct problem *part);
// C as it is now, on this rank: what comes later is no result. Between the kernel and any call of
// MPI.
void keep(const struct problem *part);
// Sends A, B and C, and what lies around them, from rank 0, where `whole` is, to the parts, and
// back.
void distribute(const struct problem *whole, struct problem *part);
void gather(const struct problem *part, struct problem *whole);

#endif
