// SPDX-License-Identifier: MIT
// The lab's kernel, which does not know that C is a piece of a larger matrix: main_pieces.c gives a
// device a band of A's rows and a band of B's columns at a time, and shares the pieces out.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0); // column of C (0..N-1), or past it
    const int row = get_global_id(1); // row of C (0..M-1), or past it

    if (row < M && col < N) {
        real sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
