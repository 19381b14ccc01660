// SPDX-License-Identifier: MIT
// what: compensated sums
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0, lost = 0;
            for (int k = 0; k < K; k++) {
                real add = A[i * K + k] * B[k * N + j] - lost, more = sum + add;
                lost = (more - sum) - add;
                sum = more;
            }
            C[i * N + j] = sum;
        }
}
