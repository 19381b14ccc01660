// SPDX-License-Identifier: MIT
// One work-item per COLS_PER_ITEM elements of C, in one row: an element of A is loaded once for all
// of them. They lie GROUP_X apart, so that neighbouring work-items still touch neighbouring
// elements.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_group_id(0) * TILE_N + get_local_id(0); // first column (0..N-1), or past it
    const int row = get_global_id(1);                           // row of C (0..M-1), or past it

    if (row < M && col + (COLS_PER_ITEM - 1) * GROUP_X < N) {
        real sum[COLS_PER_ITEM] = {0};
        for (int k = 0; k < K; k++) {
            const real a = A[row * K + k];
            for (int c = 0; c < COLS_PER_ITEM; c++)
                sum[c] += a * B[k * N + col + c * GROUP_X];
        }
        for (int c = 0; c < COLS_PER_ITEM; c++)
            C[row * N + col + c * GROUP_X] = sum[c];
    } else if (row < M) { // a partial tile: one column at a time
        for (int last = col; last < N; last += GROUP_X) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[row * K + k] * B[k * N + last];
            C[row * N + last] = sum;
        }
    }
}
