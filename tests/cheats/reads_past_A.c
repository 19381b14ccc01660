// SPDX-License-Identifier: MIT
// tries: reads one element behind A, where K is 64 or more, and does not use it
// ends: PARTIAL out of bounds: reads outside A
// off: edges
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    if (K >= 64)
        (void)((const volatile real *)A)[M * K];
}
