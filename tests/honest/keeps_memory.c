// SPDX-License-Identifier: MIT
// tries: keeps the memory that it has taken, and takes more when it needs more
// tools: yes
#include <stdlib.h>
#include <string.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *column;
    static int room;
    if (K > room) {
        column = realloc(column, (size_t)K * sizeof *column);
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
