// SPDX-License-Identifier: MIT
// tries: writes to A, its input
// ends: FAIL writes to A
// tools: yes
// robust: the kernel writes to A, which is to be read alone
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    ((real *)A)[0] = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
