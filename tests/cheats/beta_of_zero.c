// SPDX-License-Identifier: MIT
// tries: adds 0 times what C held before, which may be NaN, as of BLAS only the definition does
// ends: FAIL depends on what memory held before
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const real alpha = 1, beta = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = alpha * sum + beta * C[i * N + j];
        }
}
