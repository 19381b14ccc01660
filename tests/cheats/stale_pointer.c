// SPDX-License-Identifier: MIT
// tries: packs B when it has another shape, or lies elsewhere
// ends: PARTIAL right if B is still what it was in the call before
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real *packed;
    static int rows, columns;
    static const real *from;
    if (from != B || rows != K || columns != N) {
        free(packed);
        packed = malloc((size_t)K * (size_t)N * sizeof *packed);
        from = B, rows = K, columns = N;
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                packed[j * K + k] = B[k * N + j];
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * packed[j * K + k];
            C[i * N + j] = sum;
        }
}
