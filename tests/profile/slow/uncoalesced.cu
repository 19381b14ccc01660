// SPDX-License-Identifier: MIT
// Right, and slow: neighbours in x have neighbouring rows, so that a warp reads 32 rows of A.
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.y;
    const int row = blockIdx.y * BLOCK + threadIdx.x;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
