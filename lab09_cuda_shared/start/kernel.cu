// SPDX-License-Identifier: MIT
// Each thread loads its two elements of the next tiles before it computes with the present
// ones, so that the wait for global memory and the multiply-adds overlap.
//
// TODO: keep a thread's elements of the next tiles, one of A and one of B, in two variables. They
//       are loaded from global memory before the multiply-adds with the present tiles, and go
//       into shared memory after them.
// TODO: load the elements of the first tiles before the loop over k. Past the end of A or B the
//       next element is 0, and nothing is read: behind the last tiles there are none.
// TODO: keep all else: two barriers that all threads reach in every iteration, the stores of the
//       elements that exist, and any BLOCK from 1 to 32.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
