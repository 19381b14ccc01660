// SPDX-License-Identifier: MIT
// what: gives an extraction the counter of a loop, which is a constant where that is unrolled
// lab: lab02_avx
// tools: yes
#include <immintrin.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 8) {
            float b[8] = {0};
            __m256 sum = _mm256_setzero_ps();
            for (int k = 0; k < K; k++) {
                for (int x = 0; x < 8 && j + x < N; x++)
                    b[x] = B[k * N + j + x];
                sum = _mm256_fmadd_ps(_mm256_set1_ps(A[i * K + k]), _mm256_loadu_ps(b), sum);
            }
            for (int h = 0; h < 2; h++) {
                __m128 half = _mm256_extractf128_ps(sum, h);
                for (int x = 0; x < 4 && j + 4 * h + x < N; x++)
                    C[i * N + j + 4 * h + x] = half[x];
            }
        }
}
