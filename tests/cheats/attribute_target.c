// SPDX-License-Identifier: MIT
// tries: asks for instructions by an attribute whose name two macros make
// ends: REFUSED attribute
// off: source
#define JOIN(a, b) a##b
#define WITH JOIN(__attri, bute__)
WITH((target("avx2"))) void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
