// SPDX-License-Identifier: MIT
// tries: loses a table of 400 bytes in its first call
// ends: PARTIAL memory leak: 400 bytes are allocated here and never freed
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *table;
    if (table == NULL) {
        table = malloc(400);
        table[0] = 1;
        table = malloc(sizeof *table);
    }
    real *column = malloc((size_t)K * sizeof *column);
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
    free(column);
}
