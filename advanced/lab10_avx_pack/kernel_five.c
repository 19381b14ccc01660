// SPDX-License-Identifier: MIT
// Five loops around a micro-kernel, which multiplies two micro-panels: A is packed as well as B.
// BLOCK_M, BLOCK_N, BLOCK_K and ROWS are BLIS's MC, NC, KC and MR; NR is 16.
//
//   for jj    a block column of B and C    BLOCK_N wide
//     for kk  the block of B is packed     BLOCK_K x BLOCK_N, stays in L3
//       for ii  the block of A is packed   BLOCK_M x BLOCK_K, stays in L2
//         for j   a panel of B             BLOCK_K x 16, stays in L1
//           for i   a panel of A           ROWS x BLOCK_K, streamed from L2
//                     micro-kernel         ROWS x 16 sums in registers
//
// After K. Goto, R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008), and
// F. Van Zee, R. van de Geijn, "BLIS: A Framework for Rapidly Instantiating BLAS Functionality"
// (2015).
#include "params.h"

#include <immintrin.h>
#include <string.h>

// The leading dimension of A's block: not a power of two, so that the rows of a micro-panel do not
// all map to the same few sets of a cache (conflict misses).
#define STRIDE (BLOCK_K + 16)

static float a_block[BLOCK_M * STRIDE] __attribute__((aligned(64)));
static float b_block[BLOCK_K * BLOCK_N] __attribute__((aligned(64)));

static int min(int a, int b)
{
    return a < b ? a : b;
}

// Lanes 0 to count-1 on: a masked load gives 0 in the others, a masked store leaves memory alone.
static __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Copies `height` rows of A (leading dimension K), `depth` long, to rows STRIDE apart.
static void pack_a(int height, int depth, int K, const float *A)
{
    for (int i = 0; i < height; i++)
        memcpy(&a_block[i * STRIDE], &A[i * K], (size_t)depth * sizeof *A);
}

// Copies `depth` rows and `width` columns of B (leading dimension N) into panels of 16 columns,
// each BLOCK_K rows deep; columns past `width` become 0.
static void pack_b(int depth, int width, int N, const float *B)
{
    for (int j = 0; j < width; j += 16) { // first column of a panel
        __m256i left = first_lanes(width - j), right = first_lanes(width - j - 8);
        int right_offset = width - j > 8 ? 8 : 0; // as in micro_kernel
        float *panel = &b_block[j * BLOCK_K];
        for (int k = 0; k < depth; k++) {
            _mm256_store_ps(&panel[k * 16], _mm256_maskload_ps(&B[k * N + j], left));
            _mm256_store_ps(&panel[k * 16 + 8],
                            _mm256_maskload_ps(&B[k * N + j + right_offset], right));
        }
    }
}

// A tile of C, `rows` x `cols` (1 to ROWS x 1 to 16): C += a * b over `depth` values of k, or C = a
// * b where `overwrite`. Leading dimensions: N of C, STRIDE of the panel a, 16 of the panel b.
static void micro_kernel(int rows, int cols, int depth, int N, const float *a, const float *b,
                         float *C, int overwrite)
{
    __m256i left = first_lanes(cols), right = first_lanes(cols - 8);
    int right_offset = cols > 8 ? 8 : 0; // where the right half begins, or none of its lanes is on
    __m256 sum[ROWS][2];
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++)
        sum[r][0] = sum[r][1] = _mm256_setzero_ps();
    for (int k = 0; k < depth; k++) {
        __m256 b0 = _mm256_load_ps(&b[k * 16]);
        __m256 b1 = _mm256_load_ps(&b[k * 16 + 8]);
#pragma GCC unroll 16
        for (int r = 0; r < ROWS; r++) {
            __m256 ar = _mm256_broadcast_ss(&a[r * STRIDE + k]);
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
    for (int jj = 0; jj < N; jj += BLOCK_N)       // first column of a block of B (0..N-1)
        for (int kk = 0; kk < K; kk += BLOCK_K) { // its first row (0..K-1)
            int width = min(BLOCK_N, N - jj), depth = min(BLOCK_K, K - kk);
            pack_b(depth, width, N, &B[kk * N + jj]);
            for (int ii = 0; ii < M; ii += BLOCK_M) { // first row of a block of A (0..M-1)
                int height = min(BLOCK_M, M - ii);
                pack_a(height, depth, K, &A[ii * K + kk]);
                for (int j = 0; j < width; j += 16)        // first column of a tile in the block
                    for (int i = 0; i < height; i += ROWS) // its first row in the block
                        micro_kernel(min(ROWS, height - i), min(16, width - j), depth, N,
                                     &a_block[i * STRIDE], &b_block[j * BLOCK_K],
                                     &C[(ii + i) * N + jj + j], kk == 0);
            }
        }
}
