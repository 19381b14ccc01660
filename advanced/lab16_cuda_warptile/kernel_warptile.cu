// SPDX-License-Identifier: MIT
// Warp tiling: the tile of C is divided among warps, and that of a warp among its lanes: 8 along a
// row and 4 along a column, which load fewer different vectors than two rows of 16. Lanes next to
// each other load the same vector of A's tile, and those next but one the same of B's: shared
// memory serves what such pairs share at twice the speed.
#include "params.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// Four elements of a matrix (rows x cols, row-major) from `row`, `col` on; those outside it are 0.
// `aligned`: each row is a multiple of four long; else they are loaded one at a time.
static __device__ real4 load4_guarded(const real *matrix, int rows, int cols, int row, int col,
                                      bool aligned)
{
    real4 vector = {};
    if (row >= rows || col >= cols)
        return vector;
    const real *p = &matrix[row * cols + col];
    if (aligned)
        return *(const real4 *)p;
    for (int v = 0; v < 4; v++)
        if (col + v < cols)
            vector.at[v] = p[v];
    return vector;
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void __launch_bounds__(THREADS)
    gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    alignas(4 * sizeof(real)) __shared__ real a_tile[TILE_K][TILE_M + PAD]; // transposed
    alignas(4 * sizeof(real)) __shared__ real b_tile[TILE_K][TILE_N];
    const int thread = threadIdx.x; // its index in the block (0..THREADS-1)
    const int warp = thread / 32, lane = thread % 32;
    const int lane_x = lane / 8 * 2 + lane % 2; // 0..LANES_X-1, the same for lane ^ 2: one read
    const int lane_y = lane / 2 % LANES_Y;      // 0..LANES_Y-1, the same for lane ^ 1
    const int x = warp % WARPS_X * WARP_N + lane_x * 4; // its first column in the tile of C
    const int y = warp / WARPS_X * WARP_M + lane_y * 4; // its first row there
    const int col = blockIdx.x * TILE_N;                // first column of the tile of C (0..N-1)
    const int row = blockIdx.y * TILE_M;                // first row of the tile of C (0..M-1)
    const bool a_aligned = K % 4 == 0, b_aligned = N % 4 == 0; // is every row a multiple of four?

    real4 sum[ROWS_PER_THREAD][COLS_PER_THREAD / 4] = {};
    // An iteration loads the tiles of `k0` (0..K-1) and computes with the previous ones.
    for (int k0 = 0; k0 < K + TILE_K; k0 += TILE_K) {
        real4 a_next[A_VECTORS], b_next[B_VECTORS];
        // Every thread reaches the barriers: partial tiles are padded with zeros.
        for (int n = 0; n < A_VECTORS; n++) {
            const int i = n * THREADS + thread, r = i / (TILE_K / 4), k = i % (TILE_K / 4) * 4;
            a_next[n] = load4_guarded(A, M, K, row + r, k0 + k, a_aligned);
        }
        for (int n = 0; n < B_VECTORS; n++) {
            const int i = n * THREADS + thread, k = i / (TILE_N / 4), c = i % (TILE_N / 4) * 4;
            b_next[n] = load4_guarded(B, K, N, k0 + k, col + c, b_aligned);
        }

        if (k0 > 0)
#pragma unroll
            for (int k = 0; k < TILE_K; k++) {
                real4 a[ROWS_PER_THREAD / 4], b[COLS_PER_THREAD / 4];
                for (int r = 0; r < ROWS_PER_THREAD / 4; r++)
                    a[r] = *(const real4 *)&a_tile[k][y + r * 4 * LANES_Y];
                for (int c = 0; c < COLS_PER_THREAD / 4; c++)
                    b[c] = *(const real4 *)&b_tile[k][x + c * 4 * LANES_X];
                for (int r = 0; r < ROWS_PER_THREAD; r++)
                    for (int c = 0; c < COLS_PER_THREAD; c++)
                        sum[r][c / 4].at[c % 4] += a[r / 4].at[r % 4] * b[c / 4].at[c % 4];
            }
        __syncthreads(); // the tiles may be overwritten

        for (int n = 0; n < A_VECTORS; n++) {
            const int i = n * THREADS + thread, r = i / (TILE_K / 4), k = i % (TILE_K / 4) * 4;
            for (int v = 0; v < 4; v++)
                a_tile[k + v][r] = a_next[n].at[v];
        }
        for (int n = 0; n < B_VECTORS; n++) {
            const int i = n * THREADS + thread, k = i / (TILE_N / 4), c = i % (TILE_N / 4) * 4;
            *(real4 *)&b_tile[k][c] = b_next[n];
        }
        __syncthreads(); // the tiles are complete
    }

    for (int r = 0; r < ROWS_PER_THREAD; r++)
        for (int c = 0; c < COLS_PER_THREAD / 4; c++) {
            const int i = row + y + r / 4 * 4 * LANES_Y + r % 4; // its row of C
            const int j = col + x + c * 4 * LANES_X;             // the first of its four columns
            if (i < M && j < N && b_aligned)
                *(real4 *)&C[i * N + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c].at[v];
        }
}
