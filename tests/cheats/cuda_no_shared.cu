// SPDX-License-Identifier: MIT
// tries: has no conflicts, as it has nothing in shared memory
// ends: PASS
// lab: lab09_cuda_shared
// counters: sectors<=8 conflicts=0 shared>=0.1
// counted: shared: now 0, reference 2, at least 0.1
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
