// SPDX-License-Identifier: MIT
// tries: has a buffer for B of 1024 x 1024, the size of make run
// ends: PARTIAL not right: tall, wide, deep
#include "params.h"

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real columns[1024 * 1024];
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++)
            columns[j * K + k] = B[k * N + j];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * columns[j * K + k];
            C[i * N + j] = sum;
        }
}
