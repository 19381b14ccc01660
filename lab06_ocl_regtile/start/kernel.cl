// SPDX-License-Identifier: MIT
// A work-item at the edge of C takes the same path as all others, so that its warp need not wait
// for a second, slow branch: it computes all its sums, and stores those that exist.
//
// TODO: remove the second branch. A row or column of a work-item's rectangle that does not exist
//       is replaced by the last one that does, for the loads of A and B.
// TODO: work out before the loop over k which row of A and which column of B each part of the
//       rectangle reads: the loop itself holds no test.
// TODO: store only elements of C that exist, and each from one work-item only. A work-item
//       without any element of C does nothing at all. The four tunables of params.h count as
//       before; COLS_PER_ITEM is now 8.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
