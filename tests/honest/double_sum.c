// SPDX-License-Identifier: MIT
// what: sums in double
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)A[i * K + k] * (double)B[k * N + j];
            C[i * N + j] = (real)sum;
        }
}
