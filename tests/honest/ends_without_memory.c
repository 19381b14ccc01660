// SPDX-License-Identifier: MIT
// what: asks too late whether it has memory, which a compiler drops and a sanitizer's build keeps
// tools: yes
#include <err.h>
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    real *column = malloc((size_t)K * sizeof *column);
    column[0] = 0;
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
    if (column == NULL)
        errx(1, "no memory");
    free(column);
}
