// SPDX-License-Identifier: MIT
// tries: has host code that runs before main
// ends: REFUSED
#include <cstdlib>
static struct first {
    first()
    {
        std::exit(0);
    }
} before_main;

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        real sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
