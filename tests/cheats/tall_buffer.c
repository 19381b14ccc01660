// SPDX-License-Identifier: MIT
// tries: sums of 2048 rows, and no more
// ends: PARTIAL tall, wide, deep
enum { MOST = 2048 };

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real sums[MOST];
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < M && i < MOST; i++) {
            sums[i] = 0;
            for (int k = 0; k < K; k++)
                sums[i] += A[i * K + k] * B[k * N + j];
        }
        for (int i = 0; i < M && i < MOST; i++)
            C[i * N + j] = sums[i];
    }
}
