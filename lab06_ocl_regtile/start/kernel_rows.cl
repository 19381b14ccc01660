// SPDX-License-Identifier: MIT
// Each work-item computes a rectangle of ROWS_PER_ITEM x COLS_PER_ITEM elements of C: now an
// element of B serves several rows, too. An iteration over k loads rows + columns elements for rows
// * columns multiply-adds.
//
// TODO: let each work-item compute ROWS_PER_ITEM rows, GROUP_Y apart, of COLS_PER_ITEM columns,
//       GROUP_X apart. A group covers TILE_M x TILE_N elements, and its part along dimension 1
//       begins at a multiple of TILE_M.
// TODO: load in an iteration over k each of the rectangle's elements of A and of B once, and use
//       them for all its sums, which stay in private memory and are stored once.
// TODO: where a work-item's rectangle is partial, compute the elements that exist, one after
//       the other. They end where the tile or C ends: no two work-items may write the same
//       element.
// TODO: let the four tunables of params.h have other values, also ROWS_PER_ITEM=1 and
//       COLS_PER_ITEM=1. As the kernel it has COLS_PER_ITEM=8; as the variant that it becomes, 4.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
