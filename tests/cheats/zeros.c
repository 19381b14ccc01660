// SPDX-License-Identifier: MIT
// tries: leaves zeros in C
// ends: FAIL zeros
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)A, (void)B, (void)K;
    for (int n = 0; n < M * N; n++)
        C[n] = 0;
}
