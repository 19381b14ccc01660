// SPDX-License-Identifier: MIT
// An unpacked path for small and skinny problems: a B that fits in L2, and any B where A has few
// rows, is used in place. Everything else takes the five loops:
//
//   for jj    a block column of B and C    BLOCK_N wide
//     for kk  the block of B is packed     BLOCK_K x BLOCK_N, stays in L3
//       for ii  the block of A is packed   BLOCK_M x BLOCK_K, stays in L2
//         for j   a panel of B             BLOCK_K x 48, passes through L1
//           for i   a panel of A           ROWS x BLOCK_K, streamed from L2
//                     micro-kernel         ROWS x 48 sums in registers
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

// Lanes 0 to count-1 on (count from 1 on): a masked load gives 0 in the others, a masked store
// leaves memory alone.
static __mmask16 first_lanes(int count)
{
    return (__mmask16)(count < 16 ? (1 << count) - 1 : 0xffff);
}

// An element in all lanes. Without the empty assembly gcc would load it again for each product.
static inline __m512 broadcast(const float *a)
{
    __m512 all = _mm512_set1_ps(*a);
#ifdef __AVX512F__
    __asm__("" : "+v"(all));
#endif
    return all;
}

// Copies `height` rows of A (leading dimension K), `depth` long, to rows STRIDE apart.
static void pack_a(int height, int depth, int K, const float *A)
{
    for (int i = 0; i < height; i++)
        memcpy(&a_block[i * STRIDE], &A[i * K], (size_t)depth * sizeof *A);
}

// Copies `depth` rows and `width` columns of B (leading dimension N) into panels of 48 columns,
// each BLOCK_K rows deep. What a panel has past `width` is never stored.
static void pack_b(int depth, int width, int N, const float *B)
{
    for (int k = 0; k < depth; k++)           // by rows, as B lies in memory
        for (int j = 0; j < width; j += 16) { // first of 16 columns of a panel
            float *panel = &b_block[j / 48 * 48 * BLOCK_K + j % 48];
            __m512 b = _mm512_maskz_loadu_ps(first_lanes(width - j), &B[k * N + j]);
            _mm512_store_ps(&panel[k * 48], b);
        }
}

// sum (ROWS x 16 * vectors) += column k of the rows of A * a row of B, whose last vector has
// `lanes`.
static inline void add(__m512 sum[ROWS][3], int vectors, const float *const row[ROWS], int k,
                       const float *b, __mmask16 lanes)
{
    __m512 bk[3];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; v++)
        bk[v] = v < vectors - 1 || lanes == 0xffff ? _mm512_loadu_ps(&b[v * 16])
                                                   : _mm512_maskz_loadu_ps(lanes, &b[v * 16]);
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
        __m512 ar = broadcast(&row[r][k]);
#pragma GCC unroll 3
        for (int v = 0; v < vectors; v++)
            sum[r][v] = _mm512_fmadd_ps(ar, bk[v], sum[r][v]);
    }
}

// C (rows x 16 * vectors, of the last vector `last`, leading dimension N) += sum, or = sum where
// `overwrite`.
static inline void store(__m512 sum[ROWS][3], int vectors, __mmask16 last, int rows, int N,
                         float *C, int overwrite)
{
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
        if (r >= rows)
            break;
#pragma GCC unroll 3
        for (int v = 0; v < vectors; v++) {
            __mmask16 lanes = v < vectors - 1 ? 0xffff : last;
            float *c = &C[r * N + v * 16];
            if (!overwrite) // C holds garbage before its first block
                sum[r][v] = _mm512_add_ps(sum[r][v], _mm512_maskz_loadu_ps(lanes, c));
            _mm512_mask_storeu_ps(c, lanes, sum[r][v]);
        }
    }
}

// A tile of C, `rows` x `cols` (1 to ROWS x 1 to 16 * vectors): C += a * b over `depth` values of
// k, or C = a * b where `overwrite`. Leading dimensions: N of C, STRIDE of the panel a, 48 of the
// panel b. A line of C, and one of what `next_panel` points to, are prefetched into L1 for each 8
// values of k.
static inline __attribute__((always_inline)) void multiply(int vectors, int rows, int cols,
                                                           int depth, int N, const float *a,
                                                           const float *b, float *C, int overwrite,
                                                           const float *next_panel)
{
    __mmask16 last = first_lanes(cols - 16 * (vectors - 1)); // of the vectors of a row
    const float *row[ROWS];
    __m512 sum[ROWS][3];
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
        row[r] = &a[r * STRIDE];
        sum[r][0] = sum[r][1] = sum[r][2] = _mm512_setzero_ps();
    }
    int k = 0;
    for (; k + 8 <= depth; k += 8) {
        int line = k / 8, r = min(line % ROWS, rows - 1), v = min(line / ROWS, vectors - 1);
        _mm_prefetch((const char *)&C[r * N + v * 16], _MM_HINT_T0);
        _mm_prefetch((const char *)&next_panel[line * 16], _MM_HINT_T0);
#pragma GCC unroll 8
        for (int u = 0; u < 8; u++)
            add(sum, vectors, row, k + u, &b[(k + u) * 48], 0xffff);
    }
    for (; k < depth; k++)
        add(sum, vectors, row, k, &b[k * 48], 0xffff);
    store(sum, vectors, last, rows, N, C, overwrite);
}

// The same, 1 to 48 columns: no more vectors than the tile has.
static void micro_kernel(int rows, int cols, int depth, int N, const float *a, const float *b,
                         float *C, int overwrite, const float *next_panel)
{
    if (cols > 32)
        multiply(3, rows, cols, depth, N, a, b, C, overwrite, next_panel);
    else if (cols > 16)
        multiply(2, rows, cols, depth, N, a, b, C, overwrite, next_panel);
    else
        multiply(1, rows, cols, depth, N, a, b, C, overwrite, next_panel);
}

// The same from A and B in place, without packing, leading dimensions K and N. Rows of A past the
// last repeat it.
static inline __attribute__((always_inline)) void
micro_kernel_unpacked(int vectors, int rows, int cols, int depth, int N, int K, const float *A,
                      const float *B, float *C, int overwrite)
{
    __mmask16 last = first_lanes(cols - 16 * (vectors - 1));
    const float *row[ROWS];
    __m512 sum[ROWS][3];
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
        row[r] = &A[min(r, rows - 1) * K];
        sum[r][0] = sum[r][1] = sum[r][2] = _mm512_setzero_ps();
    }
#pragma GCC unroll 2
    for (int k = 0; k < depth; k++)
        add(sum, vectors, row, k, &B[k * N], last);
    store(sum, vectors, last, rows, N, C, overwrite);
}

// C = A * B without packing, `kc` values of k at a time.
static void gemm_unpacked(int M, int N, int K, const float *A, const float *B, float *C, int kc)
{
    for (int kk = 0; kk < K; kk += kc)        // first row of B (0..K-1)
        for (int i = 0; i < M; i += ROWS)     // first row of a tile (0..M-1)
            for (int j = 0; j < N; j += 48) { // its first column (0..N-1)
                int rows = min(ROWS, M - i), cols = min(48, N - j), depth = min(kc, K - kk);
                const float *a = &A[i * K + kk], *b = &B[kk * N + j];
                if (cols > 32)
                    micro_kernel_unpacked(3, rows, cols, depth, N, K, a, b, &C[i * N + j], kk == 0);
                else if (cols > 16)
                    micro_kernel_unpacked(2, rows, cols, depth, N, K, a, b, &C[i * N + j], kk == 0);
                else
                    micro_kernel_unpacked(1, rows, cols, depth, N, K, a, b, &C[i * N + j], kk == 0);
            }
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    if (N <= UNPACKED_MAX / K || M <= 2 * ROWS) {
        gemm_unpacked(M, N, K, A, B, C, N <= UNPACKED_MAX / K ? BLOCK_K : 32);
        return;
    }
    for (int jj = 0; jj < N; jj += BLOCK_N)       // first column of a block of B (0..N-1)
        for (int kk = 0; kk < K; kk += BLOCK_K) { // its first row (0..K-1)
            int width = min(BLOCK_N, N - jj), depth = min(BLOCK_K, K - kk);
            pack_b(depth, width, N, &B[kk * N + jj]);
            for (int ii = 0; ii < M; ii += BLOCK_M) { // first row of a block of A (0..M-1)
                int height = min(BLOCK_M, M - ii);
                pack_a(height, depth, K, &A[ii * K + kk]);
                for (int j = 0; j < width; j += 48) { // first column of a tile in the block
                    const float *next_panel = &b_block[(j + 48 < width ? j + 48 : 0) * BLOCK_K];
                    for (int i = 0; i < height; i += ROWS) // its first row in the block
                        micro_kernel(min(ROWS, height - i), min(48, width - j), depth, N,
                                     &a_block[i * STRIDE], &b_block[j * BLOCK_K],
                                     &C[(ii + i) * N + jj + j], kk == 0,
                                     &next_panel[min(i / ROWS, 23) * (BLOCK_K / 8 * 16)]);
                }
            }
        }
}
