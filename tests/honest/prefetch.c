// SPDX-License-Identifier: MIT
// tries: fetches rows of B before they are needed, by an intrinsic that wants a constant
// tools: yes
#include <immintrin.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++) {
                _mm_prefetch((const char *)&B[k * N + j], _MM_HINT_T0);
                sum += A[i * K + k] * B[k * N + j];
            }
            C[i * N + j] = sum;
        }
}
