// SPDX-License-Identifier: MIT
// Right, and slow: the innermost loop runs down a column of A and of C.
#include "params.h"

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            C[i * N + j] = 0;
    for (int j = 0; j < N; j++)
        for (int k = 0; k < K; k++)
            for (int i = 0; i < M; i++)
                C[i * N + j] += A[i * K + k] * B[k * N + j];
}
