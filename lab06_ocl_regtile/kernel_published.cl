// SPDX-License-Identifier: MIT
// As the book chapter has it: one work-item per row of C, which first copies its row of A into a
// private array. The book's array holds all of a row, for K up to 1024; here a row is taken in
// chunks.
#include "params.h"

#define CHUNK 1024

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int row = get_global_id(1); // row of C (0..M-1), or past it
    real a[CHUNK];

    if (row < M)
        for (int k0 = 0; k0 < K; k0 += CHUNK) { // first k of a chunk (0..K-1)
            const int count = min(CHUNK, K - k0);
            for (int k = 0; k < count; k++)
                a[k] = A[row * K + k0 + k];

            for (int col = 0; col < N; col++) {
                real sum = 0;
                for (int k = 0; k < count; k++)
                    sum += a[k] * B[(k0 + k) * N + col];
                C[row * N + col] = k0 == 0 ? sum : C[row * N + col] + sum;
            }
        }
}
