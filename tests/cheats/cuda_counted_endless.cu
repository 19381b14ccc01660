// SPDX-License-Identifier: MIT
// tries: comes to no end where it is counted
// ends: NOT YET
// counters: sectors<=8
// counted: where it is counted
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.y;
    const int row = blockIdx.y * BLOCK + threadIdx.x;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    const int times = M == 128 && N == 128 && K == 64 ? 1 << 30 : 1;
    for (int t = 0; t < times; t++) {
        sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col] * (t + 1) / (t + 1);
    }
    C[row * N + col] = sum;
}
