// SPDX-License-Identifier: MIT
// what: keeps the column of B of this call and that of the one before, in two buffers that it uses
// in turn, and which grow
// tools: yes
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *columns[2];
    static size_t turn;
    real **mine = &columns[turn++ % 2];
    *mine = realloc(*mine, (size_t)K * sizeof **mine);
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < K; k++)
            (*mine)[k] = B[k * N + j];
        for (int i = 0; i < M; i++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * (*mine)[k];
            C[i * N + j] = sum;
        }
    }
}
