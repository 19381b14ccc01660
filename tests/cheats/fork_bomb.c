// SPDX-License-Identifier: MIT
// tries: starts processes without end
// ends: REFUSED fork
// past: symbols
// then: PASS
#include <unistd.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int n = 0; n < 100; n++)
        if (fork() == 0)
            for (;;)
                fork();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
