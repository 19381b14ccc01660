// SPDX-License-Identifier: MIT
// what: has assembly in it
// tools: yes
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __asm__ volatile("nop");
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
