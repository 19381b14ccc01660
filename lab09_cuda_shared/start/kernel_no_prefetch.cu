// SPDX-License-Identifier: MIT
// The threads of a block copy tiles of A and B into shared memory and compute from there: each
// element is loaded from global memory once for the block, and used BLOCK times.
//
// TODO: let each thread still compute one element of C, iterating over k by BLOCK. In each
//       iteration the block copies a BLOCK x BLOCK tile of A and one of B into two __shared__
//       arrays, each thread one element of each, and computes with these tiles alone.
// TODO: see that no thread reads a tile before it is complete, and none overwrites it while
//       another still reads: __syncthreads() waits for the whole block. All threads must reach
//       every one, those past the edge of C as well.
// TODO: set what lies outside A or B to 0 in the tiles, without reading it: M, N and K may be no
//       multiples of BLOCK, which is any number from 1 to 32. Store only elements of C that
//       exist.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
