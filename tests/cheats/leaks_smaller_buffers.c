// SPDX-License-Identifier: MIT
// tries: takes a larger buffer where it needs one, and loses the one it had
// ends: PARTIAL bytes are allocated here and never freed
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *column;
    static int room;
    if (K > room) {
        column = malloc((size_t)K * sizeof *column);
        room = K;
    }
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
