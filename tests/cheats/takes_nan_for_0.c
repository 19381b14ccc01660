// SPDX-License-Identifier: MIT
// tries: adds to what C holds, unless that is a NaN, as where memory was poisoned
// ends: FAIL what C held before
#include <math.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = isnan(C[i * N + j]) ? 0 : C[i * N + j];
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
