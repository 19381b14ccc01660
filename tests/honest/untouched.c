// SPDX-License-Identifier: MIT
// what: has far more room than it uses, of which valgrind keeps a record for each byte
// tools: yes
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    real *row = malloc((size_t)1 << 30);
    for (int i = 0; i < M; i++) {
        for (int k = 0; k < K; k++)
            row[k] = A[i * K + k];
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += row[k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    }
    free(row);
}
