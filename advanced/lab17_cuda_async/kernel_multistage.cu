// SPDX-License-Identifier: MIT
// Asynchronous copies (cp.async) from global to shared memory, without registers in between, as a
// multistage pipeline: an iteration issues the copies of the tiles needed STAGES - 1 iterations
// later, and waits for its own. cp.async of 16 bytes cannot transpose: A's tile is as A is, and a
// vector of it is of four k.
#include <cuda_pipeline.h>
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

// Copies `count` vectors into a tile with rows of `width` elements, `stride` rows apart.
// `full_tile`: all of the tile is inside the matrix, and aligned; else a thread loads and stores
// them, padded with zeros.
static __device__ void copy_tile_async(int count, real *tile, int width, const real *matrix,
                                       int rows, int cols, int row, int col, int stride,
                                       bool full_tile)
{
    if (full_tile)
#pragma unroll
        for (int n = 0; n < count; n++)
            for (int v = 0; v < 4; v += 16 / sizeof(real))
                __pipeline_memcpy_async(&tile[n * stride * width + v],
                                        &matrix[(row + n * stride) * cols + col + v], 16);
    else
#pragma unroll
        for (int n = 0; n < count; n++)
            *(real4 *)&tile[n * stride * width] =
                load4_guarded(matrix, rows, cols, row + n * stride, col, cols % 4 == 0);
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void __launch_bounds__(THREADS)
    gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    extern __shared__ real4 shared[];
    real(*a_tiles)[TILE_M][TILE_K + PAD] = (real(*)[TILE_M][TILE_K + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][TILE_N] = (real(*)[TILE_K][TILE_N])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its index in the block (0..THREADS-1)
    const int warp = thread / 32, lane = thread % 32;
    const int lane_x = lane / 8 * 2 + lane % 2; // 0..LANES_X-1, the same for lane ^ 2: one read
    const int lane_y = lane / 2 % LANES_Y;      // 0..LANES_Y-1, the same for lane ^ 1
    const int x = warp % WARPS_X * WARP_N + lane_x * 4; // its first column in the tile of C
    const int y = warp / WARPS_X * WARP_M + lane_y;     // its first row there
    const int tiles_n = (N - 1) / TILE_N + 1;           // in a row of tiles of C
    const int col = blockIdx.x % tiles_n * TILE_N;      // first column of the tile of C (0..N-1)
    const int row = blockIdx.x / tiles_n * TILE_M;      // first row of the tile of C (0..M-1)
    // Its first vectors in the tiles of A and B.
    const int a_row = thread / (TILE_K / 4), a_k = thread % (TILE_K / 4) * 4;
    const int b_k = thread / (TILE_N / 4), b_col = thread % (TILE_N / 4) * 4;
    const bool interior = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real4 sum[ROWS_PER_THREAD][COLS_PER_THREAD / 4] = {};
    // An iteration issues the copies of the tiles of `k0` (0..K-1), and computes with the tiles
    // whose copies were issued STAGES - 1 iterations earlier.
    int stage = 0;
    for (int k0 = 0; k0 < K + (STAGES - 1) * TILE_K; k0 += TILE_K) {
        if (k0 >= (STAGES - 1) * TILE_K) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); // these tiles are complete, and the previous ones are consumed
        }
        if (k0 < K) {
            const bool full_tile = interior && k0 + TILE_K <= K;
            copy_tile_async(A_VECTORS, &a_tiles[stage][a_row][a_k], TILE_K + PAD, A, M, K,
                            row + a_row, k0 + a_k, A_STRIDE, full_tile);
            copy_tile_async(B_VECTORS, &b_tiles[stage][b_k][b_col], TILE_N, B, K, N, k0 + b_k,
                            col + b_col, B_STRIDE, full_tile);
        }
        __pipeline_commit(); // an empty group, too: so that there is one per iteration
        stage = stage + 1 < STAGES ? stage + 1 : 0; // from here on the oldest
        if (k0 < (STAGES - 1) * TILE_K)
            continue;

#pragma unroll
        for (int k = 0; k < TILE_K; k += 4) {
            real4 a[ROWS_PER_THREAD], b[COLS_PER_THREAD / 4];
            for (int r = 0; r < ROWS_PER_THREAD; r++)
                a[r] = *(const real4 *)&a_tiles[stage][y + r * LANES_Y][k];
            for (int v = 0; v < 4; v++) {
                for (int c = 0; c < COLS_PER_THREAD / 4; c++)
                    b[c] = *(const real4 *)&b_tiles[stage][k + v][x + c * 4 * LANES_X];
                for (int r = 0; r < ROWS_PER_THREAD; r++)
                    for (int c = 0; c < COLS_PER_THREAD; c++)
                        sum[r][c / 4].at[c % 4] += a[r].at[v] * b[c / 4].at[c % 4];
            }
        }
    }

    for (int r = 0; r < ROWS_PER_THREAD; r++)
        for (int c = 0; c < COLS_PER_THREAD / 4; c++) {
            const int i = row + y + r * LANES_Y;     // its row of C
            const int j = col + x + c * 4 * LANES_X; // the first of its four columns
            if (i < M && j < N && N % 4 == 0)
                *(real4 *)&C[i * N + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c].at[v];
        }
}
