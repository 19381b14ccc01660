// SPDX-License-Identifier: MIT
// tries: a buffer for a column of 2048 elements, and no more
// ends: PARTIAL tall, wide, deep
enum { MOST = 2048 };

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real column[MOST];
    int depth = K < MOST ? K : MOST;
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < depth; k++)
            column[k] = B[k * N + j];
        for (int i = 0; i < M; i++) {
            real sum = 0;
            for (int k = 0; k < depth; k++)
                sum += A[i * K + k] * column[k];
            C[i * N + j] = sum;
        }
    }
}
