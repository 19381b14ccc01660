// SPDX-License-Identifier: MIT
// what: three more loops; unrolls by a macro
#define UNROLLED _Pragma("GCC unroll 4")

static int min(int a, int b)
{
    return a < b ? a : b;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int n = 0; n < M * N; n++)
        C[n] = 0;
    for (int kk = 0; kk < K; kk += 32)
        for (int jj = 0; jj < N; jj += 32)
            for (int i = 0; i < M; i++)
                for (int k = kk; k < min(kk + 32, K); k++)
                    UNROLLED for (int j = jj; j < min(jj + 32, N); j++) C[i * N + j] +=
                        A[i * K + k] * B[k * N + j];
}
