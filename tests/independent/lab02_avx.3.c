// SPDX-License-Identifier: MIT
// Eight lanes while there are eight columns, one element at a time after that.
#include "params.h"

#include <immintrin.h>

static float dot(const float *a, const float *b, int stride, int n)
{
    float s = 0.0f;
    while (n-- > 0) {
        s += *a++ * *b;
        b += stride;
    }
    return s;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++) {
        int j = 0;
        for (; j + 8 <= N; j += 8) {
            __m256 v = _mm256_setzero_ps();
            for (int k = 0; k < K; k++) {
                __m256 x = _mm256_broadcast_ss(&A[i * K + k]);
                __m256 y = _mm256_loadu_ps(&B[k * N + j]);
                v = _mm256_fmadd_ps(x, y, v);
            }
            _mm256_storeu_ps(&C[i * N + j], v);
        }
        for (; j < N; j++)
            C[i * N + j] = dot(&A[i * K], &B[j], N, K);
    }
}
