// SPDX-License-Identifier: MIT
// Whole vectors first, then what is left of a row, with a table of masks.
#include "params.h"

#include <immintrin.h>

static const int table[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int whole = N / 8 * 8;
    const __m256i tail = _mm256_loadu_si256((const __m256i *)(table + 8 - N % 8));
    for (int row = 0; row < M; ++row) {
        const float *a = A + row * K;
        float *c = C + row * N;
        for (int col = 0; col < whole; col += 8) {
            __m256 result = _mm256_setzero_ps();
            for (int inner = 0; inner < K; ++inner)
                result = _mm256_fmadd_ps(_mm256_set1_ps(a[inner]),
                                         _mm256_loadu_ps(B + inner * N + col), result);
            _mm256_storeu_ps(c + col, result);
        }
        if (whole < N) {
            __m256 result = _mm256_setzero_ps();
            for (int inner = 0; inner < K; ++inner) {
                __m256 b = _mm256_maskload_ps(B + inner * N + whole, tail);
                result = _mm256_fmadd_ps(_mm256_set1_ps(a[inner]), b, result);
            }
            _mm256_maskstore_ps(c + whole, tail, result);
        }
    }
}
