// SPDX-License-Identifier: MIT
// what: halves the sum again and again
static real add(int K, int step, const real *a, const real *b)
{
    if (K == 1)
        return a[0] * b[0];
    int half = K / 2;
    return add(half, step, a, b) + add(K - half, step, a + half, b + half * step);
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            C[i * N + j] = add(K, N, &A[i * K], &B[j]);
}
