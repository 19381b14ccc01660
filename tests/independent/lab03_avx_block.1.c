// SPDX-License-Identifier: MIT
// Filled in from the starting points, hint by hint.
#include "params.h"

#include <immintrin.h>

static float packed[BLOCK_KN * BLOCK_KN] __attribute__((aligned(64)));

static __m256i mask(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static void pack(int depth, int width, int N, const float *B)
{
    for (int j = 0; j < width; j += 16) {
        __m256i on0 = mask(width - j), on1 = mask(width - j - 8);
        const int half = width - j > 8 ? 8 : 0;
        for (int k = 0; k < depth; k++) {
            float *to = &packed[j * BLOCK_KN + k * 16];
            _mm256_storeu_ps(to, _mm256_maskload_ps(&B[k * N + j], on0));
            _mm256_storeu_ps(to + 8, _mm256_maskload_ps(&B[k * N + j + half], on1));
        }
    }
}

static void tile(int rows, int cols, int depth, int K, int N, const float *A, const float *panel,
                 float *C, int first)
{
    __m256 acc0[ROWS], acc1[ROWS];
    __m256i on0 = mask(cols), on1 = mask(cols - 8);
    float *C1 = cols > 8 ? C + 8 : C;
    for (int r = 0; r < ROWS; r++)
        acc0[r] = acc1[r] = _mm256_setzero_ps();
    if (!overwrite)
        for (int r = 0; r < rows; r++) {
            acc0[r] = _mm256_maskload_ps(C + r * N, on0);
            acc1[r] = _mm256_maskload_ps(C1 + r * N, on1);
        }
    for (int k = 0; k < depth; k++) {
        __m256 left = _mm256_loadu_ps(&panel[k * 16]), right = _mm256_loadu_ps(&panel[k * 16 + 8]);
#pragma GCC unroll 16
        for (int r = 0; r < ROWS; r++) {
            __m256 a = _mm256_broadcast_ss(&A[(r < rows ? r : 0) * K + k]);
            acc0[r] = _mm256_fmadd_ps(a, left, acc0[r]);
            acc1[r] = _mm256_fmadd_ps(a, right, acc1[r]);
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm256_maskstore_ps(C + r * N, on0, acc0[r]);
        _mm256_maskstore_ps(C1 + r * N, on1, acc1[r]);
    }
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int kk = 0; kk < K; kk += BLOCK_KN)
        for (int jj = 0; jj < N; jj += BLOCK_KN) {
            int depth = K - kk < BLOCK_KN ? K - kk : BLOCK_KN,
                width = N - jj < BLOCK_KN ? N - jj : BLOCK_KN;
            pack(depth, width, N, &B[kk * N + jj]);
            for (int i = 0; i < M; i += ROWS)
                for (int j = 0; j < width; j += 16)
                    tile(M - i < ROWS ? M - i : ROWS, width - j < 16 ? width - j : 16, depth, K, N,
                         &A[i * K + kk], &packed[j * BLOCK_KN], &C[i * N + jj + j], kk == 0);
        }
}
