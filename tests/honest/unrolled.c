// SPDX-License-Identifier: MIT
// what: pragmas and attributes that kernels have
#include <stdalign.h>

static inline __attribute__((always_inline)) real multiply(real a, real b)
{
    return a * b;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    alignas(64) real tile[4] = {0};
    (void)tile;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
#pragma GCC unroll 4
            for (int k = 0; k < K; k++)
                sum += multiply(A[i * K + k], B[k * N + j]);
            C[i * N + j] = sum;
        }
}
