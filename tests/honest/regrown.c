// SPDX-License-Identifier: MIT
// what: keeps a copy of B in one place, which each call makes as large as it needs it
// tools: yes
#include <stdlib.h>

static real *turned; // B transposed

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    turned = realloc(turned, (size_t)N * K * sizeof *turned);
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++)
            turned[j * K + k] = B[k * N + j];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * turned[j * K + k];
            C[i * N + j] = sum;
        }
}
