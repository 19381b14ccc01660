// SPDX-License-Identifier: MIT
// tries: reads two floats as a double, whose addresses are multiples of 8
// ends: PARTIAL misaligned address
// lab: lab02_avx
// tools: yes
// robust: line 16, ASan+UBSan: undefined behaviour: load of misaligned address
// off: tools
#include <immintrin.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            __m128 sum = _mm_setzero_ps();
            for (int k = 0; k < K; k++) {
                double two = j + 1 < N ? *(const double *)(B + k * N + j) : 0;
                __m128 b = j + 1 < N ? _mm_castpd_ps(_mm_set_sd(two)) : _mm_set_ss(B[k * N + j]);
                sum = _mm_fmadd_ps(_mm_set1_ps(A[i * K + k]), b, sum);
            }
            C[i * N + j] = _mm_cvtss_f32(sum);
        }
    }
}
