// SPDX-License-Identifier: MIT
// A work-group copies square tiles of A and B into local memory, which its work-items share, and
// computes from there: each element is loaded from global memory once for the group, and used
// TILE times.
//
// TODO: let each work-item still compute one element of C, iterating over k by TILE. In each
//       iteration the TILE x TILE work-items of a group copy a TILE x TILE tile of A and one of
//       B, each work-item one element of each, into two arrays declared __local at the top of
//       the kernel; then they compute with these tiles alone.
// TODO: see that no work-item reads a tile before it is complete, and none overwrites it while
//       another still reads: barrier(CLK_LOCAL_MEM_FENCE) waits for the whole group. All
//       work-items must reach every barrier, those without an element of C as well.
// TODO: set what lies outside A or B to 0 in the tiles, without reading it: M, N and K may be no
//       multiples of TILE, which may be any number from 1 on. Store only elements of C that exist.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
