// SPDX-License-Identifier: MIT
// Each work-item computes COLS_PER_ITEM elements of one row of C, so that an element of A that it
// has loaded is used that many times. Per multiply-add, a work-item loads fewer elements.
//
// TODO: let each work-item compute COLS_PER_ITEM columns of one row of C, GROUP_X apart. A group
//       covers a tile of TILE_M x TILE_N elements: get_group_id(d) is the group's number along
//       dimension d, get_local_id(d) the work-item's within its group.
// TODO: load A(row,k) once in an iteration over k and use it for all columns of the work-item. Keep
//       their sums in private memory, begin them at 0, and store each once.
// TODO: where N is no multiple of TILE_N, compute those of a work-item's columns that exist, all
//       of them and no other; where M is no multiple of TILE_M, leave out the rows past the last
//       one. Read and write nothing outside A, B and C.
// TODO: let GROUP_X, GROUP_Y and COLS_PER_ITEM of params.h have other values, COLS_PER_ITEM=1 and
//       8 for example.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
