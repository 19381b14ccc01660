// SPDX-License-Identifier: MIT
// tries: is wrong for squares that are no multiple of 16, which no other shape shows
// ends: PARTIAL rectangles
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = M == N && N == K && M % 16 != 0 && M > 1 ? 0 : sum;
        }
}
