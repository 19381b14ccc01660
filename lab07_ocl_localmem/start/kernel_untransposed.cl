// SPDX-License-Identifier: MIT
// A work-group copies tiles of A and B into local memory, which its work-items share, and
// computes from there: each element is loaded from global memory once for the group instead of
// once for each item.
//
// TODO: iterate over k by TILE_K. In each iteration the GROUP_X * GROUP_Y work-items together
//       copy a TILE_M x TILE_K tile of A and a TILE_K x TILE_N tile of B, each element once, into
//       two arrays declared __local at the top of the kernel; then they compute with these tiles
//       alone.
// TODO: see that no work-item reads a tile before it is complete, and none overwrites it while
//       another still reads: barrier(CLK_LOCAL_MEM_FENCE) waits for the whole group. All
//       work-items must reach every barrier, those without an element of C as well.
// TODO: set what lies outside A or B to 0 in the tiles, without reading it. M, N and K may be no
//       multiples of the tile's TILE_M, TILE_N and TILE_K. Store only elements of C that exist.
// TODO: let GROUP_X, GROUP_Y, ROWS_PER_ITEM, COLS_PER_ITEM and TILE_K have other values: the
//       number of work-items need not divide the size of a tile.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, leading dimensions N, K, N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
