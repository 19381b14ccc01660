// SPDX-License-Identifier: MIT
// One work-item per ROWS_PER_ITEM x COLS_PER_ITEM elements of C, all in registers: an iteration
// loads ROWS + COLS elements and does ROWS * COLS multiply-adds with them. Rows lie GROUP_Y apart,
// columns GROUP_X.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_group_id(0) * TILE_N + get_local_id(0); // first column (0..N-1), or past it
    const int row = get_group_id(1) * TILE_M + get_local_id(1); // first row (0..M-1), or past it

    if (row + (ROWS_PER_ITEM - 1) * GROUP_Y < M && col + (COLS_PER_ITEM - 1) * GROUP_X < N) {
        real sum[ROWS_PER_ITEM][COLS_PER_ITEM] = {{0}};
        for (int k = 0; k < K; k++) {
            real b[COLS_PER_ITEM];
            for (int c = 0; c < COLS_PER_ITEM; c++)
                b[c] = B[k * N + col + c * GROUP_X];
            for (int r = 0; r < ROWS_PER_ITEM; r++) {
                const real a = A[(row + r * GROUP_Y) * K + k];
                for (int c = 0; c < COLS_PER_ITEM; c++)
                    sum[r][c] += a * b[c];
            }
        }
        for (int r = 0; r < ROWS_PER_ITEM; r++)
            for (int c = 0; c < COLS_PER_ITEM; c++)
                C[(row + r * GROUP_Y) * N + col + c * GROUP_X] = sum[r][c];
    } else { // a partial tile: one element at a time
        for (int i = row; i < min(row + TILE_M, M); i += GROUP_Y)
            for (int j = col; j < min(col + TILE_N, N); j += GROUP_X) {
                real sum = 0;
                for (int k = 0; k < K; k++)
                    sum += A[i * K + k] * B[k * N + j];
                C[i * N + j] = sum;
            }
    }
}
