// SPDX-License-Identifier: MIT
// As the book chapter launches it: the local size is NULL, so that the driver chooses the
// work-groups, and there are exactly as many work-items as elements.
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

// Launched in the same way, it tells what the driver chose.
__kernel void group_size(__global int *size)
{
    if (get_global_id(0) == 0 && get_global_id(1) == 0) {
        size[0] = get_local_size(0);
        size[1] = get_local_size(1);
    }
}
