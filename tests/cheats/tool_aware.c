// SPDX-License-Identifier: MIT
// tries: is another kernel where it is compiled for a tool: with a sanitizer
// ends: PARTIAL out of bounds
// tools: yes
#if defined __SANITIZE_ADDRESS__
#define LAST (K - 1)
#else
#define LAST K
#endif
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k <= LAST; k++) {
                real a = ((const volatile real *)A)[i * K + k],
                     b = ((const volatile real *)B)[k * N + j];
                sum += k < K ? a * b : 0;
            }
            C[i * N + j] = sum;
        }
}
