// SPDX-License-Identifier: MIT
// tries: is for sizes that are multiples of eight
// ends: PARTIAL not right: edges
// lab: lab02_avx
#include <immintrin.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j + 8 <= N; j += 8) {
            __m256 sum = _mm256_setzero_ps();
            for (int k = 0; k < K; k++)
                sum = _mm256_fmadd_ps(_mm256_set1_ps(A[i * K + k]), _mm256_loadu_ps(&B[k * N + j]),
                                      sum);
            _mm256_storeu_ps(&C[i * N + j], sum);
        }
}
