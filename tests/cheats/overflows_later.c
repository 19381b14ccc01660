// SPDX-License-Identifier: MIT
// tries: writes behind memory of its own, where N is 100 or more
// ends: PARTIAL out of bounds: writes outside what line
// tools: yes
// off: tools
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int room = N < 100 ? N : 100;
    real *row = malloc((size_t)room * sizeof *row);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
            ((volatile real *)row)[j < 100 ? j : 100] = sum;
        }
    }
    free(row);
}
