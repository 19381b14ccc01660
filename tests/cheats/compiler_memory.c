// SPDX-License-Identifier: MIT
// tries: has the compiler take memory until there is none
// ends: FAIL out of memory
#define A1(x) x x x x x x x x x x
#define A2(x) A1(A1(x))
#define A3(x) A2(A2(x))
#define A4(x) A3(A3(x))
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    A4(C[0] = 1;)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
