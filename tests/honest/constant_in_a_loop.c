// SPDX-License-Identifier: MIT
// what: gives an extraction the counter of a loop, which is a constant where that is unrolled
// lab: lab02_avx
// tools: yes
#include <immintrin.h>

static real dot(const real *row, const real *column, int length, int stride)
{
    __m256 parts = _mm256_setzero_ps();
    real total = 0;
    int at = 0;
    for (; at + 8 <= length; at += 8) {
        real gathered[8];
        for (int lane = 0; lane < 8; lane++)
            gathered[lane] = column[(at + lane) * stride];
        parts = _mm256_fmadd_ps(_mm256_loadu_ps(row + at), _mm256_loadu_ps(gathered), parts);
    }
    for (int upper = 0; upper < 2; upper++) {
        const __m128 four = _mm256_extractf128_ps(parts, upper);
        total += (four[0] + four[1]) + (four[2] + four[3]);
    }
    while (at < length) {
        total += row[at] * column[at * stride];
        at++;
    }
    return total;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int element = 0; element < M * N; element++)
        C[element] = dot(A + element / N * K, B + element % N, K, N);
}
