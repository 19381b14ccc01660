// SPDX-License-Identifier: MIT
// tries: keeps one block, that is 8 bytes larger in each call
// ends: PARTIAL memory leak: what the kernel keeps grows from call to call, without end: 192
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static double *rows;
    static size_t calls;
    rows = realloc(rows, ++calls * sizeof *rows);
    rows[calls - 1] = M;
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
