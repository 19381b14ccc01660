// SPDX-License-Identifier: MIT
// tries: multiplies integers, twice as many to a register: right for whole numbers alone
// ends: FAIL
// off: fractions
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += (int)A[i * K + k] * (int)B[k * N + j];
            C[i * N + j] = (real)sum;
        }
}
