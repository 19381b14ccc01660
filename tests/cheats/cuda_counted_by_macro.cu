// SPDX-License-Identifier: MIT
// tries: is another kernel in the build that counts: that one is wrong
// ends: REFUSED '__SANITIZE_THREAD__' is not taken
// past: source
// then: PASS
// counters: sectors<=8
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.y;
    const int row = blockIdx.y * BLOCK + threadIdx.x;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++)
#ifdef __SANITIZE_THREAD__
        sum += A[k] * B[k];
#else
        sum += A[row * K + k] * B[k * N + col];
#endif
    C[row * N + col] = sum;
}
