// SPDX-License-Identifier: MIT
// One work-item computes one element of C: the two outer loops of lab 01 become M x N work-items,
// which run at the same time. Neighbours read neighbouring elements of B, so that their loads are
// coalesced.
//
// TODO: let each work-item find its own row and column of C by its global ID: get_global_id(0)
//       counts the work-items of all groups in dimension 0, get_global_id(1) in dimension 1.
//       Neighbours in dimension 0 have neighbouring column numbers, in the same row of C.
// TODO: compute this one element: K products, added up in a variable, which begins at 0, and
//       stored once. C holds NaN before the kernel runs.
// TODO: only whole work-groups of GROUP_X x GROUP_Y are launched: a work-item past the last row
//       or column must neither read A and B nor write C. Any size of group must work.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
