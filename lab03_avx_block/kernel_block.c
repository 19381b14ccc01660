// SPDX-License-Identifier: MIT
// Cache blocking: a block of B, BLOCK_KN x BLOCK_KN, serves all rows of A before the next one is
// touched, and stays in L2 meanwhile.
#include "params.h"

#include <immintrin.h>

static int min(int a, int b)
{
    return a < b ? a : b;
}

// Lanes 0 to count-1 on: a masked load gives 0 in the others, a masked store leaves memory alone.
static __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// A tile of C, `rows` x `cols` (1 to ROWS x 1 to 16): C += A * B over `depth` values of k, or
// C = A * B where `overwrite`. Leading dimensions: N of C and B, K of A.
static void multiply_tile(int rows, int cols, int depth, int N, int K, const float *A,
                          const float *B, float *C, int overwrite)
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
        __m256 b0 = _mm256_maskload_ps(&B[k * N], left);
        __m256 b1 = _mm256_maskload_ps(&B[k * N + right_offset], right);
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
            for (int i = 0; i < M; i += ROWS)       // first row of a tile of C (0..M-1)
                for (int j = 0; j < width; j += 16) // its first column in the block
                    multiply_tile(min(ROWS, M - i), min(16, width - j), depth, N, K, &A[i * K + kk],
                                  &B[kk * N + jj + j], &C[i * N + jj + j], kk == 0);
        }
}
