// SPDX-License-Identifier: MIT
// tries: is wrong at one edge alone, and reads behind B elsewhere: each mistake has its own price
// ends: PARTIAL not right: edges: first
// robust: out of bounds: reads outside B
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int edge = M < 40 && N < 40 && K < 60 && K > 40;
    volatile real beside = 0;
    if (!edge && M > 30)
        beside = B[K * N + 15];
    (void)beside;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = edge ? sum + 1 : sum;
        }
}
