// SPDX-License-Identifier: MIT
// Register tile: a thread computes ROWS_PER_THREAD x COLS_PER_THREAD elements of C, and uses each
// element that it loads from shared memory for a row, or a column, of them. The tiles grow with it,
// and each thread copies several elements of them, prefetched as before while the current tiles are
// used.
#include "params.h"

#define THREADS (BLOCK_X * BLOCK_Y)
#define A_COUNT (TILE_M * TILE_K / THREADS) // of the tile of A, that a thread copies
#define B_COUNT (TILE_K * TILE_N / THREADS)

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void __launch_bounds__(THREADS)
    gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __shared__ real a_tile[TILE_K][TILE_M + PAD]; // transposed: a column of A is a row here
    __shared__ real b_tile[TILE_K][TILE_N];
    const int x = threadIdx.x, y = threadIdx.y; // its index in the block
    const int thread = y * BLOCK_X + x;         // the same, linear (0..THREADS-1)
    const int col = blockIdx.x * TILE_N;        // first column of the tile of C (0..N-1)
    const int row = blockIdx.y * TILE_M;        // first row of the tile of C (0..M-1)

    real sum[ROWS_PER_THREAD][COLS_PER_THREAD] = {};
    // An iteration loads the tiles of `k0` (0..K-1) and computes with the previous ones.
    for (int k0 = 0; k0 < K + TILE_K; k0 += TILE_K) {
        real a_next[A_COUNT], b_next[B_COUNT];
        // Every thread reaches the barriers: partial tiles are padded with zeros.
        for (int n = 0; n < A_COUNT; n++) {
            const int i = n * THREADS + thread, r = row + i / TILE_K, k = k0 + i % TILE_K;
            a_next[n] = r < M && k < K ? A[r * K + k] : 0;
        }
        for (int n = 0; n < B_COUNT; n++) {
            const int i = n * THREADS + thread, k = k0 + i / TILE_N, c = col + i % TILE_N;
            b_next[n] = k < K && c < N ? B[k * N + c] : 0;
        }

        if (k0 > 0)
#pragma unroll
            for (int k = 0; k < TILE_K; k++) {
                real a[ROWS_PER_THREAD], b[COLS_PER_THREAD];
                for (int r = 0; r < ROWS_PER_THREAD; r++)
                    a[r] = a_tile[k][y + r * BLOCK_Y];
                for (int c = 0; c < COLS_PER_THREAD; c++)
                    b[c] = b_tile[k][x + c * BLOCK_X];
                for (int r = 0; r < ROWS_PER_THREAD; r++)
                    for (int c = 0; c < COLS_PER_THREAD; c++)
                        sum[r][c] += a[r] * b[c];
            }
        __syncthreads(); // the tiles may be overwritten

        for (int n = 0; n < A_COUNT; n++) {
            const int i = n * THREADS + thread;
            a_tile[i % TILE_K][i / TILE_K] = a_next[n];
        }
        for (int n = 0; n < B_COUNT; n++) {
            const int i = n * THREADS + thread;
            b_tile[i / TILE_N][i % TILE_N] = b_next[n];
        }
        __syncthreads(); // the tiles are complete
    }

    for (int r = 0; r < ROWS_PER_THREAD; r++)
        for (int c = 0; c < COLS_PER_THREAD; c++) {
            const int i = row + y + r * BLOCK_Y, j = col + x + c * BLOCK_X;
            if (i < M && j < N)
                C[i * N + j] = sum[r][c];
        }
}
