// SPDX-License-Identifier: MIT
// what: prints every element
// tools: yes
#include "params.h"
#include <cstdio>
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    real sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
    printf("worker: C[%d][%d] = %f, of all that this thread has to say\n", row, col, sum);
}
