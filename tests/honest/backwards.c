// SPDX-License-Identifier: MIT
// what: from the last k to the first
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = K - 1; k >= 0; k--)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
