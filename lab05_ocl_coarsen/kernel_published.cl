// SPDX-License-Identifier: MIT
// As the book chapter has it: one work-item per row of C, in work-groups of 256.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int row = get_global_id(1); // row of C (0..M-1), or past it

    if (row < M)
        for (int col = 0; col < N; col++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[row * K + k] * B[k * N + col];
            C[row * N + col] = sum;
        }
}
