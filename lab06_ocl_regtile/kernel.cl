// SPDX-License-Identifier: MIT
// One work-item per ROWS_PER_ITEM x COLS_PER_ITEM elements of C, all in registers, at the edge of
// C, too: clamped indices load the last row or column again in place of one that is not there, and
// the result is not stored. An index register per row and column costs time, which is amortized
// over eight columns and not over four.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_group_id(0) * TILE_N + get_local_id(0); // first column (0..N-1), or past it
    const int row = get_group_id(1) * TILE_M + get_local_id(1); // first row (0..M-1), or past it

    if (row < M && col < N) {
        int at_row[ROWS_PER_ITEM]; // where a row of A begins
        int at_col[COLS_PER_ITEM]; // which column of B (0..N-1)
        for (int r = 0; r < ROWS_PER_ITEM; r++)
            at_row[r] = min(row + r * GROUP_Y, M - 1) * K;
        for (int c = 0; c < COLS_PER_ITEM; c++)
            at_col[c] = min(col + c * GROUP_X, N - 1);

        real sum[ROWS_PER_ITEM][COLS_PER_ITEM] = {{0}};
        for (int k = 0; k < K; k++) {
            real b[COLS_PER_ITEM];
            for (int c = 0; c < COLS_PER_ITEM; c++)
                b[c] = B[k * N + at_col[c]];
            for (int r = 0; r < ROWS_PER_ITEM; r++) {
                const real a = A[at_row[r] + k];
                for (int c = 0; c < COLS_PER_ITEM; c++)
                    sum[r][c] += a * b[c];
            }
        }
        for (int r = 0; r < ROWS_PER_ITEM; r++)
            for (int c = 0; c < COLS_PER_ITEM; c++)
                if (row + r * GROUP_Y < M && col + c * GROUP_X < N)
                    C[(row + r * GROUP_Y) * N + col + c * GROUP_X] = sum[r][c];
    }
}
