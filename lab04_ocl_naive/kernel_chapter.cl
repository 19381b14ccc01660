// SPDX-License-Identifier: MIT
// As the book chapter has it: dimension 0 runs along the rows. Neighbouring work-items then read
// elements of A that are K apart and write elements of C that are N apart.
#include "params.h"

#if COLS_PER_ITEM != 1 || ROWS_PER_ITEM != 1
#error "this kernel computes one element per work-item"
#endif

// C (M x N) = A (M x K) * B (K x N), row-major with leading dimensions N, K, N.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int row = get_global_id(0); // row of C (0..M-1), or past it
    const int col = get_global_id(1); // column of C (0..N-1), or past it

    if (row < M && col < N) {
        real sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
