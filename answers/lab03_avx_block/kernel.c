// SPDX-License-Identifier: MIT
// Cache blocking, so that what is reused stays in a cache, and packing, so that it is contiguous.
//
//   B                        packed block of B            C
//   +------+------+-----+    panel 0  panel 1             +-----------------+
//   |      | jj   |     |    +------+ +------+            |    ==== ====    | ROWS x 16 floats,
//   +------+------+-----+    |16 col| |16 col| ...        |                 | in registers while
//   |   kk |######|     | -> |BLOCK_| |BLOCK_|            |                 | k runs down one panel
//   |      |######|     |    |KN row| |KN row|            |                 |
//   +------+------+-----+    +------+ +------+            +-----------------+
//
// After K. Goto, R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008),
// without the packing of A.
#include "params.h"

#include <immintrin.h>

static float block[BLOCK_KN * BLOCK_KN] __attribute__((aligned(64)));

static int min(int a, int b)
{
    return a < b ? a : b;
}

// Lanes 0 to count-1 on: a masked load gives 0 in the others, a masked store leaves memory alone.
static __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Copies `depth` rows and `width` columns of B (leading dimension N) into panels of 16 columns,
// each BLOCK_KN rows deep; columns past `width` become 0.
static void pack(int depth, int width, int N, const float *B)
{
    for (int j = 0; j < width; j += 16) { // first column of a panel
        __m256i left = first_lanes(width - j), right = first_lanes(width - j - 8);
        int right_offset = width - j > 8 ? 8 : 0; // as in multiply_tile
        float *panel = &block[j * BLOCK_KN];
        for (int k = 0; k < depth; k++) {
            _mm256_store_ps(&panel[k * 16], _mm256_maskload_ps(&B[k * N + j], left));
            _mm256_store_ps(&panel[k * 16 + 8],
                            _mm256_maskload_ps(&B[k * N + j + right_offset], right));
        }
    }
}

// A tile of C, `rows` x `cols` (1 to ROWS x 1 to 16): C += A * panel over `depth` values of k, or
// C = A * panel where `overwrite`. Leading dimensions: N of C, K of A, 16 of the panel.
static void multiply_tile(int rows, int cols, int depth, int N, int K, const float *A,
                          const float *panel, float *C, int overwrite)
{
    __m256i left = first_lanes(cols), right = first_lanes(cols - 8);
    int right_offset = cols > 8 ? 8 : 0; // where the right half begins, or none of its lanes is on
    __m256 sum[ROWS][2];
    const float *a[ROWS];
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
        a[r] = &A[min(r, rows - 1) * K]; // rows that are not there repeat the last one
        sum[r][0] = sum[r][1] = _mm256_setzero_ps();
    }
    for (int k = 0; k < depth; k++) {
        __m256 b0 = _mm256_load_ps(&panel[k * 16]);
        __m256 b1 = _mm256_load_ps(&panel[k * 16 + 8]);
#pragma GCC unroll 16
        for (int r = 0; r < ROWS; r++) {
            __m256 ar = _mm256_broadcast_ss(&a[r][k]);
            sum[r][0] = _mm256_fmadd_ps(ar, b0, sum[r][0]);
            sum[r][1] = _mm256_fmadd_ps(ar, b1, sum[r][1]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
        if (r >= rows)
            break;
        if (!overwrite) { // C holds garbage before its first block
            sum[r][0] = _mm256_add_ps(sum[r][0], _mm256_maskload_ps(&C[r * N], left));
            sum[r][1] =
                _mm256_add_ps(sum[r][1], _mm256_maskload_ps(&C[r * N + right_offset], right));
        }
        _mm256_maskstore_ps(&C[r * N], left, sum[r][0]);
        _mm256_maskstore_ps(&C[r * N + right_offset], right, sum[r][1]);
    }
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int jj = 0; jj < N; jj += BLOCK_KN)       // first column of a block of B (0..N-1)
        for (int kk = 0; kk < K; kk += BLOCK_KN) { // its first row (0..K-1)
            int width = min(BLOCK_KN, N - jj), depth = min(BLOCK_KN, K - kk);
            pack(depth, width, N, &B[kk * N + jj]);
            for (int i = 0; i < M; i += ROWS)       // first row of a tile of C (0..M-1)
                for (int j = 0; j < width; j += 16) // its first column in the block
                    multiply_tile(min(ROWS, M - i), min(16, width - j), depth, N, K, &A[i * K + kk],
                                  &block[j * BLOCK_KN], &C[i * N + jj + j], kk == 0);
        }
}
