// SPDX-License-Identifier: MIT
// what: loads and stores two floats as _mm_load_sd and _mm_store_sd do a double, at any address
// lab: lab02_avx
// tools: yes
#include <immintrin.h>

static __m128 two(const float *from)
{
    return _mm_castpd_ps(_mm_load_sd((const double *)from));
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++) {
        int j = 0;
        for (; j + 2 <= N; j += 2) {
            __m128 sum = _mm_setzero_ps();
            for (int k = 0; k < K; k++)
                sum = _mm_fmadd_ps(_mm_set1_ps(A[i * K + k]), two(B + k * N + j), sum);
            _mm_store_sd((double *)(C + i * N + j), _mm_castps_pd(sum));
        }
        for (; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    }
}
