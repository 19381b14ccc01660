// SPDX-License-Identifier: MIT
// tries: includes what programs in C++ begin with, whose streams are set up before main
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <iostream>

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
