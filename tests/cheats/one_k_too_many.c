// SPDX-License-Identifier: MIT
// tries: ends its loop over k at K, where in the last row one element behind A and B is read
// ends: FAIL were 0 what lies there, C would be right
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k <= K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
