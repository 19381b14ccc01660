// SPDX-License-Identifier: MIT
// tries: waits for no asynchronous copy, each of four bytes
// ends: FAIL ASan+UBSan: an asynchronous copy is not waited for before its destination is used
// robust: an asynchronous copy is not waited for before its destination is used
// lab: lab09_cuda_shared
// tools: yes
#include "params.h"
#include <cuda_pipeline.h>
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __shared__ real a[BLOCK][BLOCK], b[BLOCK][BLOCK];
    const int x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * BLOCK + x, row = blockIdx.y * BLOCK + y;
    real sum = 0;
    for (int k0 = 0; k0 < K; k0 += BLOCK) {
        if (row < M && k0 + x < K)
            __pipeline_memcpy_async(&a[y][x], &A[row * K + k0 + x], sizeof(real));
        else
            a[y][x] = 0;
        if (k0 + y < K && col < N)
            __pipeline_memcpy_async(&b[y][x], &B[(k0 + y) * N + col], sizeof(real));
        else
            b[y][x] = 0;
        __pipeline_commit();
        __syncthreads();
        for (int k = 0; k < BLOCK; k++)
            sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
