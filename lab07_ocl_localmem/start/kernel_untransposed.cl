// SPDX-License-Identifier: MIT
// The register tile of lab 06, fed from local memory: a work-item computes several elements of C,
// so that each element that it reads from a tile serves several multiply-adds.
//
// TODO: let each work-item compute ROWS_PER_ITEM x COLS_PER_ITEM elements of C, GROUP_Y rows and
//       GROUP_X columns apart, as in lab 06; a work-group then computes TILE_M x TILE_N. For each
//       k it reads ROWS_PER_ITEM elements of A's tile and COLS_PER_ITEM of B's, each once.
// TODO: iterate over k by TILE_K. The tiles are TILE_M x TILE_K of A and TILE_K x TILE_N of B, and
//       larger than the group: its GROUP_X * GROUP_Y work-items together copy each element once.
//       Neighbouring work-items copy neighbouring elements of a row.
// TODO: keep the two barriers that all work-items reach, and zeros in the tiles for what lies
//       outside A or B. Store only elements of C that exist.
// TODO: let GROUP_X, GROUP_Y, ROWS_PER_ITEM, COLS_PER_ITEM and TILE_K have other values: the
//       number of work-items need not divide the size of a tile.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
