// SPDX-License-Identifier: MIT
// tries: has no conflicts, as it has nothing in shared memory
// ends: NOT YET
// lab: lab09_cuda_shared
// counters: sectors<=8 conflicts=0 share>=0.1
// counted: 0.0 of the operands' loads are from local or shared memory, the reference has 0.97
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
