// SPDX-License-Identifier: MIT
// tries: names a line of the kernel with more digits than Python makes a number of
// ends: PASS
// tools: yes
#include <stdio.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static int told;
    if (!told++)
        fprintf(stderr, "kernel.c:%06000d\n", 1);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
