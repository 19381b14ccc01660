// SPDX-License-Identifier: MIT
// A's tile is stored transposed, so that what one iteration over k needs lies in one row of each
// tile. A padding of PAD elements to a row keeps the copy's stores out of each other's banks.
//
// TODO: store A's tile transposed: TILE_K rows, one for each k, of TILE_M elements. How A is read
//       from global memory does not change: neighbouring work-items still read neighbouring
//       elements of a row of A.
// TODO: make each row of A's tile PAD elements longer; nobody reads or writes those. PAD may be
//       any number from 0 to 32.
// TODO: keep all else: two barriers that all work-items reach, zeros for what lies outside A or
//       B, stores of the elements that exist, and all tunables.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
