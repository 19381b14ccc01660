// SPDX-License-Identifier: MIT
// Ways to write lab 03, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes: 6 x 16, all of B copied into panels at first
// 2 yes: 4 x 16, sums with names, a panel copied when it is used
// 3 yes: 8 x 8
// 4 yes: 3 x 32, a panel of 32 columns
// 5 yes: 12 x 8, panels on the stack
// 6 yes: 6 x 16 and A copied, too
// 7 yes: 4 x 24, k unrolled by two
// 8 yes: 2 x 16, a panel for each 24 rows
// 9 yes: 6 x 16, registers of the language's own vectors
// 10 yes: 5 x 16, B copied by memcpy
// 11 no: 1 x 8, the kernel of lab 02, in blocks
// 12 no: 6 x 16, nothing copied
// 13 no: 1 x 8, from panels
// 14 no: 6 x 16 from panels, sums in memory
// 15 no: 6 x 16, a panel copied again for each tile
// 16 no: the kernel of lab 01
#include "params.h"

#include <immintrin.h>
#include <stdlib.h>
#include <string.h>
#define EACH(n, count) for (int n = 0; n < count; n++)
#define UNROLLED _Pragma("GCC unroll 16")

#if WAY == 3
#define HIGH 8
#define WIDE 8
#elif WAY == 4
#define HIGH 3
#define WIDE 32
#elif WAY == 5
#define HIGH 12
#define WIDE 8
#elif WAY == 7
#define HIGH 4
#define WIDE 24
#elif WAY == 11 || WAY == 13
#define HIGH 1
#define WIDE 8
#else
#define HIGH (WAY == 2 ? 4 : WAY == 8 ? 2 : WAY == 10 ? 5 : ROWS)
#define WIDE 16
#endif
#define VECTORS (WIDE / 8)
#define DEEP (WAY == 5 ? 128 : WAY == 1 ? K : BLOCK_KN)

static int min(int a, int b)
{
    return a < b ? a : b;
}

// Rows of B, with zeros behind its last column.
static void pack(int depth, int width, int N, const real *B, real *panel)
{
    EACH(k, depth)
    {
#if WAY == 10
        memcpy(&panel[k * WIDE], &B[k * N], (size_t)width * sizeof *B);
        memset(&panel[k * WIDE + width], 0, (size_t)(WIDE - width) * sizeof *B);
#else
        EACH(j, WIDE) panel[k * WIDE + j] = j < width ? B[k * N + j] : 0;
#endif
    }
}

// C (HIGH x WIDE) += A B, with leading dimensions.
static void tile(int depth, int lda, const real *A, int ldb, const real *B, int N, real *C)
{
#if WAY == 14
    EACH(k, depth)
    EACH(r, HIGH)
    EACH(v, VECTORS)
    _mm256_storeu_ps(&C[r * N + v * 8], _mm256_fmadd_ps(_mm256_set1_ps(A[r * lda + k]),
                                                        _mm256_loadu_ps(&B[k * ldb + v * 8]),
                                                        _mm256_loadu_ps(&C[r * N + v * 8])));
#elif WAY == 2
    __m256 s00 = _mm256_loadu_ps(C), s01 = _mm256_loadu_ps(C + 8);
    __m256 s10 = _mm256_loadu_ps(C + N), s11 = _mm256_loadu_ps(C + N + 8);
    __m256 s20 = _mm256_loadu_ps(C + 2 * N), s21 = _mm256_loadu_ps(C + 2 * N + 8);
    __m256 s30 = _mm256_loadu_ps(C + 3 * N), s31 = _mm256_loadu_ps(C + 3 * N + 8);
    for (int k = 0; k < depth; k++, B += ldb) {
        const __m256 b0 = _mm256_loadu_ps(B), b1 = _mm256_loadu_ps(B + 8);
        const __m256 a0 = _mm256_broadcast_ss(&A[k]), a1 = _mm256_broadcast_ss(&A[lda + k]);
        const __m256 a2 = _mm256_broadcast_ss(&A[2 * lda + k]);
        const __m256 a3 = _mm256_broadcast_ss(&A[3 * lda + k]);
        s00 = _mm256_fmadd_ps(a0, b0, s00), s01 = _mm256_fmadd_ps(a0, b1, s01);
        s10 = _mm256_fmadd_ps(a1, b0, s10), s11 = _mm256_fmadd_ps(a1, b1, s11);
        s20 = _mm256_fmadd_ps(a2, b0, s20), s21 = _mm256_fmadd_ps(a2, b1, s21);
        s30 = _mm256_fmadd_ps(a3, b0, s30), s31 = _mm256_fmadd_ps(a3, b1, s31);
    }
    _mm256_storeu_ps(C, s00), _mm256_storeu_ps(C + 8, s01);
    _mm256_storeu_ps(C + N, s10), _mm256_storeu_ps(C + N + 8, s11);
    _mm256_storeu_ps(C + 2 * N, s20), _mm256_storeu_ps(C + 2 * N + 8, s21);
    _mm256_storeu_ps(C + 3 * N, s30), _mm256_storeu_ps(C + 3 * N + 8, s31);
#elif WAY == 9
    typedef float vector __attribute__((vector_size(32), aligned(4)));
    vector sum[HIGH][VECTORS];
    UNROLLED EACH(r, HIGH) UNROLLED EACH(v, VECTORS) sum[r][v] = *(const vector *)&C[r * N + v * 8];
    EACH(k, depth)
    UNROLLED EACH(r, HIGH) UNROLLED EACH(v, VECTORS) sum[r][v] +=
        A[r * lda + k] * *(const vector *)&B[k * ldb + v * 8];
    UNROLLED EACH(r, HIGH) UNROLLED EACH(v, VECTORS) * (vector *)&C[r * N + v * 8] = sum[r][v];
#else
    __m256 sum[HIGH][VECTORS];
    UNROLLED EACH(r, HIGH) UNROLLED EACH(v, VECTORS) sum[r][v] = _mm256_loadu_ps(&C[r * N + v * 8]);
#if WAY == 7
#pragma GCC unroll 2
#endif
    EACH(k, depth)
    UNROLLED EACH(r, HIGH) UNROLLED EACH(v, VECTORS) sum[r][v] =
        _mm256_fmadd_ps(_mm256_broadcast_ss(WAY == 6 ? &A[k * HIGH + r] : &A[r * lda + k]),
                        _mm256_loadu_ps(&B[k * ldb + v * 8]), sum[r][v]);
    UNROLLED EACH(r, HIGH) UNROLLED EACH(v, VECTORS) _mm256_storeu_ps(&C[r * N + v * 8], sum[r][v]);
#endif
}

// Up to HIGH x WIDE, at an edge in a tile of our own.
static void part(int rows, int width, int depth, int K, const real *A, int ldb, const real *B,
                 int N, real *C)
{
    if (rows == HIGH && width == WIDE) {
        tile(depth, K, A, ldb, B, N, C);
        return;
    }
    EACH(r, rows)
    EACH(c, width)
    {
        real sum = C[r * N + c];
        for (int k = 0; k < depth; k++)
            sum += A[WAY == 6 ? k * HIGH + r : r * K + k] * B[k * ldb + c];
        C[r * N + c] = sum;
    }
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
#if WAY == 16
    EACH(i, M)
    EACH(j, N)
    {
        real sum = 0;
        EACH(k, K) sum += A[i * K + k] * B[k * N + j];
        C[i * N + j] = sum;
    }
    return;
#endif
    memset(C, 0, (size_t)M * (size_t)N * sizeof *C);
#if WAY == 5
    real panel[128 * WIDE], *strip = NULL;
#else
    real *panel = malloc((size_t)(K + 1) * WIDE * sizeof *panel);
    real *strip = malloc((size_t)(K + 1) * HIGH * sizeof *strip);
    if (panel == NULL || strip == NULL)
        abort();
#endif
    const int high = WAY == 8 ? 24 : M; // rows for which a panel is copied
    for (int kk = 0; kk < K; kk += DEEP)
        for (int ii = 0; ii < M; ii += high)
            for (int j = 0; j < N; j += WIDE) {
                const int depth = min(DEEP, K - kk), width = min(WIDE, N - j);
                const real *from = panel;
                int ldb = WIDE;
                if (WAY == 11 || WAY == 12)
                    from = &B[kk * N + j], ldb = N;
                else if (WAY != 15)
                    pack(depth, width, N, &B[kk * N + j], panel);
                for (int i = ii; i < min(ii + high, M); i += HIGH) {
                    const int rows = min(HIGH, M - i);
                    const real *a = &A[i * K + kk];
                    if (WAY == 15)
                        pack(depth, width, N, &B[kk * N + j], panel);
                    if (WAY == 6) {
                        EACH(k, depth) EACH(r, rows) strip[k * HIGH + r] = a[r * K + k];
                        a = strip;
                    }
                    part(rows, width, depth, K, a, ldb, from, N, &C[i * N + j]);
                }
            }
#if WAY != 5
    free(panel);
#endif
    free(strip);
}
