// SPDX-License-Identifier: MIT
// tries: has variables on the device, with initial values
#include "params.h"
__device__ int one = 1;
__constant__ real nothing = 0;

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    real sum = nothing;
    for (int k = 0; row < M && col < N && k < K; k += one)
        sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = sum;
}
