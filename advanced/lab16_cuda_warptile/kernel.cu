// SPDX-License-Identifier: MIT
// No bounds checks in interior tiles, which most are: a thread computes one address in each matrix,
// from which the others follow at a constant stride, and tests no vector.
#include "params.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STRIDE (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STRIDE (THREADS / (TILE_N / 4))

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

// Loads `count` vectors of a tile, `stride` rows apart, the first at `row`, `col`. `full_tile`: all
// of the tile is inside the matrix, and aligned: no bounds checks.
static __device__ void load_tile(int count, real4 *vectors, const real *matrix, int rows, int cols,
                                 int row, int col, int stride, bool full_tile)
{
    if (full_tile)
#pragma unroll
        for (int n = 0; n < count; n++)
            vectors[n] = *(const real4 *)&matrix[(row + n * stride) * cols + col];
    else
#pragma unroll
        for (int n = 0; n < count; n++)
            vectors[n] = load4_guarded(matrix, rows, cols, row + n * stride, col, cols % 4 == 0);
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
    // Its first vectors in the tiles of A and B.
    const int a_row = thread / (TILE_K / 4), a_k = thread % (TILE_K / 4) * 4;
    const int b_k = thread / (TILE_N / 4), b_col = thread % (TILE_N / 4) * 4;
    const bool interior = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real4 sum[ROWS_PER_THREAD][COLS_PER_THREAD / 4] = {};
    // An iteration loads the tiles of `k0` (0..K-1) and computes with the previous ones.
    for (int k0 = 0; k0 < K + TILE_K; k0 += TILE_K) {
        real4 a_next[A_VECTORS], b_next[B_VECTORS];
        // Every thread reaches the barriers: partial tiles are padded with zeros.
        const bool full_tile = interior && k0 + TILE_K <= K;
        load_tile(A_VECTORS, a_next, A, M, K, row + a_row, k0 + a_k, A_STRIDE, full_tile);
        load_tile(B_VECTORS, b_next, B, K, N, k0 + b_k, col + b_col, B_STRIDE, full_tile);

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

        for (int n = 0; n < A_VECTORS; n++)
            for (int v = 0; v < 4; v++)
                a_tile[a_k + v][a_row + n * A_STRIDE] = a_next[n].at[v];
        for (int n = 0; n < B_VECTORS; n++)
            *(real4 *)&b_tile[b_k + n * B_STRIDE][b_col] = b_next[n];
        __syncthreads(); // the tiles are complete
    }

    for (int r = 0; r < ROWS_PER_THREAD; r++)
        for (int c = 0; c < COLS_PER_THREAD / 4; c++) {
            const int i = row + y + r / 4 * 4 * LANES_Y + r % 4; // its row of C
            const int j = col + x + c * 4 * LANES_X;             // the first of its four columns
            if (i < M && j < N && N % 4 == 0)
                *(real4 *)&C[i * N + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c].at[v];
        }
}
