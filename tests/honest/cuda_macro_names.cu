// SPDX-License-Identifier: MIT
// what: has macros called as the emulation calls its own
// lab: lab09_cuda_shared
// tools: yes
#include "params.h"

#define block_size BLOCK
#define block_index blockIdx
#define grid_size gridDim
#define thread_index threadIdx
#define shared __shared__
#define barrier __syncthreads()
#define launch_bounds __launch_bounds__(BLOCK *BLOCK)
#define device_variable one
#define global(name) __global__ void launch_bounds name

__device__ real device_variable = 1;

global(gemm)(int M, int N, int K, const real *A, const real *B, real *C)
{
    shared real a[block_size][block_size];
    __shared__ real b[block_size][block_size];
    const int x = threadIdx.x, y = thread_index.y;
    const int col = block_index.x * blockDim.x + x, row = blockIdx.y * block_size + y;
    real sum = grid_size.x > gridDim.x;
    for (int k0 = 0; k0 < K; k0 += block_size) {
        a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
        b[y][x] = col < N && k0 + y < K ? B[(k0 + y) * N + col] : 0;
        barrier;
        for (int k = 0; k < block_size; k++)
            sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum * one;
}
