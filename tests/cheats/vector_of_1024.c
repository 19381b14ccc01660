// SPDX-License-Identifier: MIT
// tries: multiplies a single column out of a buffer of 1024 elements, and no more
// ends: PARTIAL not right: single rows, columns: first
enum { MOST = 1024 };

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real column[MOST];
    int depth = N > 1 || K < MOST ? K : MOST;
    for (int k = 0; N == 1 && k < depth; k++)
        column[k] = B[k];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < depth; k++)
                sum += A[i * K + k] * (N == 1 ? column[k] : B[k * N + j]);
            C[i * N + j] = sum;
        }
}
