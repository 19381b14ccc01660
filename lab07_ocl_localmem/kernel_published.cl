// SPDX-License-Identifier: MIT
// As the book chapter means it: one work-item per row of C with its row of A in a private array;
// the work-group stages a column of B in local memory. The book stages B's diagonal instead, once,
// and lets work-items past the last row skip the barrier. Both are repaired, and K may be any size.
#include "params.h"

#define CHUNK 1024

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int row = get_global_id(1); // row of C (0..M-1), or past it
    real a[CHUNK];
    __local real column[CHUNK];

    for (int k0 = 0; k0 < K; k0 += CHUNK) { // first k of a chunk (0..K-1)
        const int count = min(CHUNK, K - k0);
        for (int k = 0; k < count; k++)
            a[k] = row < M ? A[row * K + k0 + k] : 0;

        for (int col = 0; col < N; col++) {
            for (int k = get_local_id(1); k < count; k += GROUP_Y)
                column[k] = B[(k0 + k) * N + col];
            barrier(CLK_LOCAL_MEM_FENCE); // the column is complete

            real sum = 0;
            for (int k = 0; k < count; k++)
                sum += a[k] * column[k];
            if (row < M)
                C[row * N + col] = k0 == 0 ? sum : C[row * N + col] + sum;
            barrier(CLK_LOCAL_MEM_FENCE); // the column may be overwritten
        }
    }
}
