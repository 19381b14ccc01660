// SPDX-License-Identifier: MIT
// tries: asks what time it is, which no kernel needs
// ends: REFUSED clock_gettime
// off: symbols
#include <time.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
