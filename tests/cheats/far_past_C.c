// SPDX-License-Identifier: MIT
// tries: writes 20 KB behind C, where it looks for nobody
// ends: FAIL writes past the end of C
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    C[M * N + 5000] = 0;
}
