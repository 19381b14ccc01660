// SPDX-License-Identifier: MIT
// tries: adds to a sum that it has not set, and hopes for zeros
// ends: FAIL not right
#include "params.h"
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    real sum;
    for (int k = 0; row < M && col < N && k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = sum;
}
