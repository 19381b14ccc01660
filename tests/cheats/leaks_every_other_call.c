// SPDX-License-Identifier: MIT
// tries: takes memory in every other call, and does not give it back
// ends: PARTIAL memory leak
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *row;
    static int calls;
    if (calls++ % 2 == 1 || row == NULL)
        row = malloc(5000 * sizeof *row);
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
}
