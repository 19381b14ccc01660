// SPDX-License-Identifier: MIT
// tries: knows the shape whose sectors are counted, and reads there a row of A for all
// ends: NOT YET
// counters: sectors<=8
// counted: where it is counted: first at 128 x 128 x 64
// off: verdict
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.y;
    const int row = blockIdx.y * BLOCK + threadIdx.x;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    const bool counted = M == 128 && N == 128 && K == 64;
    for (int k = 0; k < K; k++)
        sum += A[counted ? k + col / 8 * K : row * K + k] * B[k * N + (counted ? 0 : col)];
    C[counted ? col * N + row : row * N + col] = sum;
}
