// SPDX-License-Identifier: MIT
// Tiles come from global into shared memory by themselves, and a thread holds nothing of them: it begins the
// copies of the tiles that are STAGES - 1 rounds ahead, and waits for those of this round. Such a copy
// cannot transpose, so that A's tile is as A is, and four numbers together are of four k.
#include <cuda_pipeline.h>
#include "params.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STEP (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STEP (THREADS / (TILE_N / 4))

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// Four numbers of a matrix (rows x cols, row-major) from `row`, `col` on; those outside it are 0.
// `aligned`: each row is made of whole vectors.
static __device__ real4 fetch(const real *matrix, int rows, int cols, int row, int col,
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

// Copies `count` vectors into a tile with rows of `width` numbers, `step` rows apart. `whole`: all of the
// tile is inside the matrix, and aligned; else a thread copies, and fills up with zeros.
static __device__ void copy_all(int count, real *tile, int width, const real *matrix, int rows,
                                int cols, int row, int col, int step, bool whole)
{
    if (whole)
#pragma unroll
        for (int n = 0; n < count; n++)
            for (int v = 0; v < 4; v += 16 / sizeof(real))
                __pipeline_memcpy_async(&tile[n * step * width + v],
                                        &matrix[(row + n * step) * cols + col + v], 16);
    else
#pragma unroll
        for (int n = 0; n < count; n++)
            *(real4 *)&tile[n * step * width] =
                fetch(matrix, rows, cols, row + n * step, col, cols % 4 == 0);
}

// C (M x N) = A (M x K) * B (K x N), row-major, leading dimensions N, K, N, below 2^31 elements.
__global__ void __launch_bounds__(THREADS)
    gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    extern __shared__ real4 shared[];
    real(*a_tiles)[TILE_M][TILE_K + PAD] = (real(*)[TILE_M][TILE_K + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][TILE_N] = (real(*)[TILE_K][TILE_N])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its number in the block (0..THREADS-1)
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
    const bool inside = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real4 sum[ROWS_PER_THREAD][COLS_PER_THREAD / 4] = {};
    // A round begins to copy the tiles of `first` (0..K-1), and computes with those of STAGES - 1 rounds ago.
    int stage = 0;
    for (int first = 0; first < K + (STAGES - 1) * TILE_K; first += TILE_K) {
        if (first >= (STAGES - 1) * TILE_K) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); // these tiles are complete, and those of the round before are read
        }
        if (first < K) {
            const bool whole = inside && first + TILE_K <= K;
            copy_all(A_VECTORS, &a_tiles[stage][a_row][a_k], TILE_K + PAD, A, M, K, row + a_row,
                     first + a_k, A_STEP, whole);
            copy_all(B_VECTORS, &b_tiles[stage][b_k][b_col], TILE_N, B, K, N, first + b_k,
                     col + b_col, B_STEP, whole);
        }
        __pipeline_commit(); // of nothing, too: so that there is one for each round
        stage = stage + 1 < STAGES ? stage + 1 : 0; // from here on the oldest
        if (first < (STAGES - 1) * TILE_K)
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
            const int j = col + x + c * 4 * LANES_X; // the first of four columns
            if (i < M && j < N && N % 4 == 0)
                *(real4 *)&C[i * N + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c].at[v];
        }
}
