// SPDX-License-Identifier: MIT
// The same work in another order, with a function for each tile.
#include "params.h"

static real at(__global const real *matrix, int row, int col, int rows, int cols)
{
    if (row >= rows || col >= cols)
        return 0;
    return matrix[row * cols + col];
}

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real left[TILE_K * (TILE_M + PAD)], right[TILE_K * TILE_N];
    int x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0), gy = get_group_id(1);
    real result[ROWS_PER_ITEM * COLS_PER_ITEM] = {0}, column[ROWS_PER_ITEM];

    for (int step = 0; step * TILE_K < K; ++step) {
        for (int row = y; row < TILE_M; row += GROUP_Y)
            for (int p = x; p < TILE_K; p += GROUP_X)
                left[p * (TILE_M + PAD) + row] = at(A, gy * TILE_M + row, step * TILE_K + p, M, K);
        for (int p = y; p < TILE_K; p += GROUP_Y)
            for (int col = x; col < TILE_N; col += GROUP_X)
                right[p * TILE_N + col] = at(B, step * TILE_K + p, gx * TILE_N + col, K, N);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TILE_K; ++p) {
            for (int i = 0; i < ROWS_PER_ITEM; ++i)
                column[i] = left[p * (TILE_M + PAD) + y + i * GROUP_Y];
            for (int j = 0; j < COLS_PER_ITEM; ++j) {
                real value = right[p * TILE_N + x + j * GROUP_X];
                for (int i = 0; i < ROWS_PER_ITEM; ++i)
                    result[i * COLS_PER_ITEM + j] += column[i] * value;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < COLS_PER_ITEM; ++j) {
        int col = gx * TILE_N + x + j * GROUP_X;
        if (col >= N)
            continue;
        for (int i = 0; i < ROWS_PER_ITEM; ++i) {
            int row = gy * TILE_M + y + i * GROUP_Y;
            if (row < M)
                C[row * N + col] = result[i * COLS_PER_ITEM + j];
        }
    }
}
