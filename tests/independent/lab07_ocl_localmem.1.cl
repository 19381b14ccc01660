// SPDX-License-Identifier: MIT
// Filled in from the starting points, hint by hint.
#include "params.h"

#define ITEMS (GROUP_X * GROUP_Y)

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real a_tile[TILE_K][TILE_M + PAD];
    __local real b_tile[TILE_K][TILE_N];
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int me = ly * GROUP_X + lx;
    const int row0 = get_group_id(1) * TILE_M;
    const int col0 = get_group_id(0) * TILE_N;
    real acc[ROWS_PER_ITEM][COLS_PER_ITEM];
    for (int r = 0; r < ROWS_PER_ITEM; r++)
        for (int c = 0; c < COLS_PER_ITEM; c++)
            acc[r][c] = 0;

    for (int kk = 0; kk < K; kk += TILE_K) {
        for (int n = me; n < TILE_M * TILE_K; n += ITEMS) {
            int gr = row0 + n / TILE_K;
            int gk = kk + n % TILE_K;
            a_tile[n % TILE_K][n / TILE_K] = (gr < M && gk < K) ? A[gr * K + gk] : 0;
        }
        for (int n = me; n < TILE_K * TILE_N; n += ITEMS) {
            int gk = kk + n / TILE_N;
            int gc = col0 + n % TILE_N;
            b_tile[n / TILE_N][n % TILE_N] = (gk < K && gc < N) ? B[gk * N + gc] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE_K; k++)
            for (int r = 0; r < ROWS_PER_ITEM; r++) {
                real a = a_tile[k][ly + r * GROUP_Y];
                for (int c = 0; c < COLS_PER_ITEM; c++)
                    acc[r][c] += a * b_tile[k][lx + c * GROUP_X];
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int r = 0; r < ROWS_PER_ITEM; r++) {
        int gr = row0 + ly + r * GROUP_Y;
        for (int c = 0; c < COLS_PER_ITEM; c++) {
            int gc = col0 + lx + c * GROUP_X;
            if (gr < M && gc < N)
                C[gr * N + gc] = acc[r][c];
        }
    }
}
