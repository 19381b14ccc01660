// SPDX-License-Identifier: MIT
// One thread computes one element of C: lab 04 in CUDA's words. Neighbours in x have
// neighbouring column numbers, in the same row of C, so that the threads of a warp read
// neighbouring elements of B, and their loads are coalesced.
//
// TODO: let each thread find its row and column of C from blockIdx, blockDim and threadIdx:
//       the column from x, the row from y.
// TODO: compute this one element: K products, added up in a variable of the thread, which begins
//       at 0, and stored once. C holds NaN before the kernel runs.
// TODO: only whole blocks of BLOCK x BLOCK threads are launched: a thread past the last row or
//       column must neither read A and B nor write C. BLOCK may be any number from 1 to 32.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
