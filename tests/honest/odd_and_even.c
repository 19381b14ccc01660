// SPDX-License-Identifier: MIT
// what: two sums, of odd and of even k
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0, odd = 0;
            for (int k = 0; k < K; k++)
                *(k % 2 ? &odd : &sum) += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum + odd;
        }
}
