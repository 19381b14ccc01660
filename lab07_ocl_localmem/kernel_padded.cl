// SPDX-License-Identifier: MIT
// kernel_one_per_item.cl without a bounds check: main_padded.c has padded A and B with zeros,
// right and below, and M, N and K are multiples of TILE.
#include "params.h"

#if GROUP_X != TILE || GROUP_Y != TILE || TILE_K != TILE
#error "kernel_padded.cl needs square tiles: set TILE alone"
#endif

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
// The attribute states the work-group's size: without it, NVIDIA's driver allows no more than 256.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
gemm(int M, int N, int K, __global const real *A, __global const real *B, __global real *C)
{
    __local real a_tile[TILE][TILE];
    __local real b_tile[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1); // local IDs (0..TILE-1)
    const int col = get_group_id(0) * TILE + x;         // column of C (0..N-1)
    const int row = get_group_id(1) * TILE + y;         // row of C (0..M-1)
    real a_next = A[row * K + x];
    real b_next = B[y * N + col];
    real sum = 0;

    for (int k0 = 0; k0 < K; k0 += TILE) { // first k of the tiles (0..K-1)
        a_tile[y][x] = a_next;
        b_tile[y][x] = b_next;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

        const int next =
            min(k0 + TILE, K - TILE); // first k of the next tiles, or of the last again
        a_next = A[row * K + next + x];
        b_next = B[(next + y) * N + col];
        for (int k = 0; k < TILE; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles may be overwritten
    }

    C[row * N + col] = sum;
}
