// SPDX-License-Identifier: MIT
// Right, and slow: the tile of B is stored turned around and without padding, so that the lanes of
// a warp read a column of it, 32 words of one bank.
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __shared__ real a_tile[BLOCK][BLOCK];
    __shared__ real b_tile[BLOCK][BLOCK];
    const int x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * BLOCK + x;
    const int row = blockIdx.y * BLOCK + y;
    real sum = 0;
    for (int k0 = 0; k0 < K; k0 += BLOCK) {
        a_tile[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
        b_tile[x][y] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < BLOCK; k++)
            sum += a_tile[y][k] * b_tile[x][k];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
