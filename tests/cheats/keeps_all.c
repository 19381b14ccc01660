// SPDX-License-Identifier: MIT
// tries: keeps what it has taken in each call, up to 4096 of them, where it finds it
// ends: PARTIAL memory leak: what the kernel keeps grows from call to call, without end
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *all[4096];
    static int calls;
    real *column = all[calls++ % 4096] = malloc((size_t)K * sizeof *column);
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < K; k++)
            column[k] = B[k * N + j];
        for (int i = 0; i < M; i++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * column[k];
            C[i * N + j] = sum;
        }
    }
}
