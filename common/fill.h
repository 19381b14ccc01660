// SPDX-License-Identifier: MIT
// Problems: C = A * B, row-major and dense. A is M x K, B is K x N, C is M x N, with leading
// dimensions K, N, N. `real` is float, double or int (make TYPE=...).
#ifndef FILL_H
#define FILL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// On either side of A, B and C. make race sets 0, so that a tool sees what is touched outside.
#ifndef GUARD_BYTES
#define GUARD_BYTES 4096
#endif

enum { ALIGNMENT = 64 }; // bytes: A, B and C begin at a multiple, in every lab, tool and judge
#define REAL_IS_INT ((real)0.5 == 0)

// A row-major matrix between two guards of GUARD_BYTES each:  block [guard | data | guard]
struct matrix {
    int rows, cols; // the leading dimension is cols
    real *data;
    void *block;
    size_t bytes; // of the whole block; this is what a GPU lab copies
    char *region; // that holds the block, where it is shared with another process
};

// Two sets of inputs. INTEGERS have exact sums whatever their order, so C must match bit for bit,
// and some of them have more than 16 bits; UNIFORM values in [-1,1) are what is timed. A kernel
// that may round A and B gets INTEGERS that it can hold as they are.
enum data_set { INTEGERS, UNIFORM };

// What one work unit (a block of loops, a work-group, a thread block) computes of C, and how many k
// it takes at a time. Shapes around these are where kernels break.
struct tile {
    int m, n, k;
};

struct problem {
    int M, N, K;
    struct tile tile; // of the lab that computes it
    struct matrix A, B, C;
    enum data_set set;
    uint32_t seed;
    uint64_t secret;   // of a judge: what the vector and the rows of its check come from; 0: none
    double roundoff;   // to which the kernel may round A and B before it multiplies; 0: it may not
    void *mapping;     // of all regions; NULL: each block is memory of its own
    bool tensor_cores; // compute it: UNIFORM values of A are 2^20 times as large, of B as small
};

size_t elements_of(const struct matrix *m);
bool matrix_create(struct matrix *m, int rows, int cols);                    // false: no memory
void size_problem(struct problem *p, struct tile tile, int M, int N, int K); // no memory yet
void problem_create(struct problem *p, struct tile tile, int M, int N, int K);
void problem_free(struct problem *p);
void fill_inputs(struct problem *p, enum data_set set, uint32_t seed); // A, B and their guards
void guard_inputs(struct problem *p);  // what is on either side of A and B
void poison_output(struct problem *p); // C and its guards
// Number of changed words in the guards / of changed elements in an input (0 is good). *where gets
// the first: elements from the start of the matrix, negative before it.
long broken_guards(const struct problem *p, const struct matrix *m, long *where);
long changed_elements(const struct problem *p, const struct matrix *m, long *where);
bool is_poison(real x);      // true if x still has bits that poison_output writes
enum { POISON_BYTE = 0xFF }; // in the guards of C

#ifdef __cplusplus
}
#endif
#endif
