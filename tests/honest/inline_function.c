// SPDX-License-Identifier: MIT
// what: has an inline function, which C99 takes for one of another file where nothing is optimised
// tools: yes
inline real product(real a, real b)
{
    return a * b;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += product(A[i * K + k], B[k * N + j]);
            C[i * N + j] = sum;
        }
}
