// SPDX-License-Identifier: MIT
// Copies panels element by element, and stores through a buffer at the edges.
#include "params.h"

#include <immintrin.h>
#include <string.h>

static float buffer[BLOCK_KN / 16][BLOCK_KN][16] __attribute__((aligned(32)));

static void copy_panel(const float *from, int leading, int count, int columns, float to[][16])
{
    for (int k = 0; k < count; ++k, from += leading) {
        memset(to[k], 0, sizeof to[k]);
        memcpy(to[k], from, sizeof(float) * (size_t)columns);
    }
}

static void compute(const float *A, int lda, float panel[][16], int count, int height,
                    float out[ROWS][16])
{
    __m256 sums[ROWS * 2];
    for (int x = 0; x < ROWS; ++x) {
        sums[2 * x] = _mm256_load_ps(out[x]);
        sums[2 * x + 1] = _mm256_load_ps(out[x] + 8);
    }
    for (int k = 0; k < count; ++k)
        for (int x = 0; x < ROWS; ++x) {
            const __m256 value = _mm256_set1_ps(x < height ? A[x * lda + k] : 0.0f);
            sums[2 * x] = _mm256_fmadd_ps(value, _mm256_load_ps(panel[k]), sums[2 * x]);
            sums[2 * x + 1] = _mm256_fmadd_ps(value, _mm256_load_ps(panel[k] + 8), sums[2 * x + 1]);
        }
    for (int x = 0; x < ROWS; ++x) {
        _mm256_store_ps(out[x], sums[2 * x]);
        _mm256_store_ps(out[x] + 8, sums[2 * x + 1]);
    }
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    memset(C, 0, sizeof(float) * (size_t)M * (size_t)N);
    for (int left = 0; left < N; left += BLOCK_KN)
        for (int top = 0; top < K; top += BLOCK_KN) {
            const int right = left + BLOCK_KN < N ? left + BLOCK_KN : N;
            const int count = top + BLOCK_KN < K ? BLOCK_KN : K - top;
            for (int j = left; j < right; j += 16)
                copy_panel(B + top * N + j, N, count, right - j < 16 ? right - j : 16,
                           buffer[(j - left) / 16]);
            for (int i = 0; i < M; i += ROWS) {
                const int height = M - i < ROWS ? M - i : ROWS;
                for (int j = left; j < right; j += 16) {
                    const size_t bytes = sizeof(float) * (size_t)(right - j < 16 ? right - j : 16);
                    float out[ROWS][16] __attribute__((aligned(32))) = {{0}};
                    for (int x = 0; x < height; ++x)
                        memcpy(out[x], C + (i + x) * N + j, bytes);
                    compute(A + i * K + top, K, buffer[(j - left) / 16], count, height, out);
                    for (int x = 0; x < height; ++x)
                        memcpy(C + (i + x) * N + j, out[x], bytes);
                }
            }
        }
}
