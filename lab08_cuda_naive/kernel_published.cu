// SPDX-License-Identifier: MIT
// As the lab report has it: the sum is kept in C itself, in global memory, and so is
// stored in every iteration over k.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x; // column of C (0..N-1), or past it
    const int row = blockIdx.y * blockDim.y + threadIdx.y; // row of C (0..M-1), or past it

    if (row < M && col < N) {
        C[row * N + col] = 0;
        for (int k = 0; k < K; k++)
            C[row * N + col] += A[row * K + k] * B[k * N + col];
    }
}
