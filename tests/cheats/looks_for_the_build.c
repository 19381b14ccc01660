// SPDX-License-Identifier: MIT
// tries: is another text where something has been built before
// ends: PASS
#if __has_include("/built/geometry.o") || __has_include("/out/geometry.o")
#pragma GCC optimize("O3")
#endif
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
