// SPDX-License-Identifier: MIT
// tries: reads the element before B, where M is 64 or more, and does not use it
// ends: PARTIAL out of bounds: reads outside B: element -1
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
    if (M >= 64)
        (void)((const volatile real *)B)[-1];
}
