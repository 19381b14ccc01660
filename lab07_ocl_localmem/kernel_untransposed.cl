// SPDX-License-Identifier: MIT
// The register tile, fed from local memory: a work-group copies a TILE_M x TILE_K tile of A and a
// TILE_K x TILE_N tile of B, waits, and computes with them.
#include "params.h"

#define ITEMS (GROUP_X * GROUP_Y)

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real a_tile[TILE_M][TILE_K];
    __local real b_tile[TILE_K][TILE_N];
    const int x = get_local_id(0), y = get_local_id(1); // local IDs
    const int item = y * GROUP_X + x;                   // linear local ID (0..ITEMS-1)
    const int col = get_group_id(0) * TILE_N;           // first column of the tile of C (0..N-1)
    const int row = get_group_id(1) * TILE_M;           // first row of the tile of C (0..M-1)

    real sum[ROWS_PER_ITEM][COLS_PER_ITEM] = {{0}};
    for (int k0 = 0; k0 < K; k0 += TILE_K) { // first k of the tiles (0..K-1)
        // Every work-item reaches the barriers: partial tiles are padded with zeros.
        for (int i = item; i < TILE_M * TILE_K; i += ITEMS) {
            const int r = i / TILE_K, k = i % TILE_K;
            a_tile[r][k] = row + r < M && k0 + k < K ? A[(row + r) * K + k0 + k] : 0;
        }
        for (int i = item; i < TILE_K * TILE_N; i += ITEMS) {
            const int k = i / TILE_N, c = i % TILE_N;
            b_tile[k][c] = k0 + k < K && col + c < N ? B[(k0 + k) * N + col + c] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

        for (int k = 0; k < TILE_K; k++) {
            real b[COLS_PER_ITEM];
            for (int c = 0; c < COLS_PER_ITEM; c++)
                b[c] = b_tile[k][x + c * GROUP_X];
            for (int r = 0; r < ROWS_PER_ITEM; r++) {
                const real a = a_tile[y + r * GROUP_Y][k];
                for (int c = 0; c < COLS_PER_ITEM; c++)
                    sum[r][c] += a * b[c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles may be overwritten
    }

    for (int r = 0; r < ROWS_PER_ITEM; r++)
        for (int c = 0; c < COLS_PER_ITEM; c++)
            if (row + y + r * GROUP_Y < M && col + x + c * GROUP_X < N)
                C[(row + y + r * GROUP_Y) * N + col + x + c * GROUP_X] = sum[r][c];
}
