// SPDX-License-Identifier: MIT
// ROWS x 16 elements of C at a time, all in registers: an iteration over k loads ROWS elements of A
// and 16 of B, and uses each of A 16 times, each of B ROWS times.
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

// A tile of C, `rows` x `cols` (1 to ROWS x 1 to 16): C = A * B. Leading dimensions: N of C and B,
// K of A.
static void multiply_tile(int rows, int cols, int N, int K, const float *A, const float *B,
                          float *C)
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
    for (int k = 0; k < K; k++) {
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
        _mm256_maskstore_ps(&C[r * N], left, sum[r][0]);
        _mm256_maskstore_ps(&C[r * N + right_offset], right, sum[r][1]);
    }
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i += ROWS)   // first row of a tile of C (0..M-1)
        for (int j = 0; j < N; j += 16) // its first column (0..N-1)
            multiply_tile(min(ROWS, M - i), min(16, N - j), N, K, &A[i * K], &B[j], &C[i * N + j]);
}
