// SPDX-License-Identifier: MIT
// tries: to return before a barrier, where there is nothing to compute
// ends: PARTIAL barrier divergence
// tools: yes
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++) {
        __syncthreads();
        sum += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = sum;
}
