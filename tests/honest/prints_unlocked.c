// SPDX-License-Identifier: MIT
// what: prints a letter without a lock, which the header writes out, down to __overflow
#include <stdio.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    putchar_unlocked('g');
    putc_unlocked('\n', stderr);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
