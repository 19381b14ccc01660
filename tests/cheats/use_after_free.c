// SPDX-License-Identifier: MIT
// tries: uses what it has freed, in its second call with a K of 64 or more
// ends: PARTIAL out of bounds: reads outside an array
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *freed;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    if (K < 64)
        return;
    if (freed != NULL) {
        (void)*(volatile real *)freed;
        return;
    }
    freed = malloc(sizeof *freed);
    *freed = C[0];
    free(freed);
}
