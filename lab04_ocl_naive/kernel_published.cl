// SPDX-License-Identifier: MIT
// As the book chapter has it: inside a work-group, neighbours in dimension 0 have neighbouring row
// numbers. They then read elements of A that are K apart and write elements of C that are N apart.
#include "params.h"

#if GROUP_X != GROUP_Y
#error "kernel_published.cl needs square work-groups: GROUP_X equal to GROUP_Y"
#endif

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_group_id(0) * TILE_N + get_local_id(1); // column of C (0..N-1), or past it
    const int row = get_group_id(1) * TILE_M + get_local_id(0); // row of C (0..M-1), or past it

    if (row < M && col < N) {
        real sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
