// SPDX-License-Identifier: MIT
// tries: takes memory in its first call, and keeps it for larger ones
// ends: PARTIAL out of bounds: writes outside what line
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *column;
    if (column == NULL)
        column = malloc((size_t)K * sizeof *column);
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
