// SPDX-License-Identifier: MIT
// tries: stages its column of B in shared memory, and waits for nobody
// ends: PARTIAL data race
// tools: yes
// off: tools
#include "params.h"
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    __shared__ real mine[BLOCK][BLOCK];
    const int x = threadIdx.x, y = threadIdx.y;
    real sum = 0;
    for (int k = 0; row < M && col < N && k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    mine[y][x] = sum;
    real other = mine[y][BLOCK - 1 - x];
    if (row < M && col < N)
        C[row * N + col] = other == other ? sum : sum;
    if (other == 1e30f)
        C[0] = other;
}
