// SPDX-License-Identifier: MIT
// what: calls what is its own as functions and variables of common/, of the worker, of libc
// tools: yes
#include "params.h"

__device__ int ending, config = 1, send;
__constant__ real scratch[2], fill = 1, recv;

extern "C" __device__ int check(int value, int tolerance)
{
    return value < tolerance;
}

__device__ int index(int row, int col, int cols)
{
    return row * cols + col + send;
}

extern "C" __device__ real now(real usage, real probe)
{
    return usage * probe + scratch[1];
}

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    if (!check(row, M) || !check(col, N))
        return;
    real verify = recv;
    for (int k = ending; check(k, K); k += config)
        verify += now(A[index(row, k, K)], B[index(k, col, N)]) * fill;
    C[index(row, col, N)] = verify;
}
