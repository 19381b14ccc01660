// SPDX-License-Identifier: MIT
// One work-item per element of C; a work-group stages TILE x TILE tiles of A and B in local memory,
// and each element that it loads from global memory is used TILE times.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real a_tile[TILE][TILE];
    __local real b_tile[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1); // local IDs (0..TILE-1)
    const int col = get_group_id(0) * TILE + x;         // column of C (0..N-1), or past it
    const int row = get_group_id(1) * TILE + y;         // row of C (0..M-1), or past it
    real sum = 0;

    for (int k0 = 0; k0 < K; k0 += TILE) { // first k of the tiles (0..K-1)
        // Every work-item reaches the barriers: partial tiles are padded with zeros.
        a_tile[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
        b_tile[y][x] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

        for (int k = 0; k < TILE; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles may be overwritten
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
