// SPDX-License-Identifier: MIT
// what: changes its flags by a pragma and by an attribute
#pragma GCC target("avx2,fma")
__attribute__((optimize("O3"))) void gemm(int M, int N, int K, const real *A, const real *B,
                                          real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
