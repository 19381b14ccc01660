// SPDX-License-Identifier: MIT
// tries: writes all over the memory behind C
// ends: FAIL writes outside C
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    for (long n = 0; n < 1L << 32; n++)
        C[n] = 0;
}
