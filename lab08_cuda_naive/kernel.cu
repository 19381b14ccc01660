// SPDX-License-Identifier: MIT
// One thread per element of C. Neighbours in x have neighbouring columns of the same row, so that
// they read neighbouring elements of B and write neighbouring elements of C.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x; // column of C (0..N-1), or past it
    const int row = blockIdx.y * blockDim.y + threadIdx.y; // row of C (0..M-1), or past it

    if (row < M && col < N) {
        real sum = 0;
#pragma unroll 32 // nvcc unrolls 4 by itself; 32 floats of A's row are 128 bytes, a cache line
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
