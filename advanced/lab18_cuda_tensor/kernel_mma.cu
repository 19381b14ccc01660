// SPDX-License-Identifier: MIT
// The instruction itself, mma.sync, of which PTX says what number each lane has (../common/tensor.h): 16 x 8 of A by
// 8 x 8 of B, half as many instructions as nvcc makes of wmma. A lane gets its numbers of A from ldmatrix, four at
// once. Of B it reads vectors: which columns a product takes is nobody's affair, as long as C's are the same.
#include <cuda_pipeline.h>
#include "params.h"
#include "tensor.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STEP (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STEP (THREADS / (TILE_N / 4))

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// What a lane has of MMA_K steps of k: parts of A of 16 x 8, of B of 8 x 8.
struct parts {
    real a[WARP_M / 16][4], b[WARP_N / 8][2];
};

// From `a` on, this lane's row for ldmatrix, and `b`, its first vector: columns 4 * g to 4 * g + 3 of 32 are column g
// of four parts.
static __device__ void load(parts &to, const real *a, const real *b)
{
    for (int r = 0; r < WARP_M / 16; r++)
        ldmatrix(to.a[r], &a[r * 16 * (TILE_K + PAD)]);
    for (int c = 0; c < WARP_N; c += 32)
        for (int h = 0; h < 2; h++) {
            const real4 vector = *(const real4 *)&b[h * 4 * (TILE_N + PAD_B) + c];
            for (int v = 0; v < 4; v++)
                to.b[c / 8 + v][h] = vector.at[v];
        }
}

static __device__ void round(parts &numbers)
{
    for (int r = 0; r < WARP_M / 16; r++)
        for (int t = 0; t < 4; t++)
            numbers.a[r][t] = round_to_tf32(numbers.a[r][t]);
    for (int c = 0; c < WARP_N / 8; c++)
        for (int t = 0; t < 2; t++)
            numbers.b[c][t] = round_to_tf32(numbers.b[c][t]);
}

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
    real(*b_tiles)[TILE_K][TILE_N + PAD_B] = (real(*)[TILE_K][TILE_N + PAD_B])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its number in the block (0..THREADS-1)
    const int warp = thread / 32, lane = thread % 32;
    const int g = lane / 4, q = lane % 4;          // as mma_sync() has them
    const int x = warp % WARPS_X * WARP_N;         // first column of the warp in the tile of C
    const int y = warp / WARPS_X * WARP_M;         // its first row there
    const int tiles_n = (N - 1) / TILE_N + 1;      // in a row of tiles of C
    const int col = blockIdx.x % tiles_n * TILE_N; // first column of the tile of C (0..N-1)
    const int row = blockIdx.x / tiles_n * TILE_M; // first row of the tile of C (0..M-1)
    // Its first vectors in the tiles of A and B.
    const int a_row = thread / (TILE_K / 4), a_k = thread % (TILE_K / 4) * 4;
    const int b_k = thread / (TILE_N / 4), b_col = thread % (TILE_N / 4) * 4;
    const bool inside = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real sum[WARP_M / 16][WARP_N / 8][4] = {};
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
            copy_all(B_VECTORS, &b_tiles[stage][b_k][b_col], TILE_N + PAD_B, B, K, N, first + b_k,
                     col + b_col, B_STEP, whole);
        }
        __pipeline_commit(); // of nothing, too: so that there is one for each round
        stage = stage + 1 < STAGES ? stage + 1 : 0; // from here on the oldest
        if (first < (STAGES - 1) * TILE_K)
            continue;

#pragma unroll
        for (int k = 0; k < TILE_K; k += MMA_K) {
            parts these;
            load(these, &a_tiles[stage][y + lane % 16][k + lane / 16 * 4],
                 &b_tiles[stage][k + q][x + g * 4]);
            round(these);
            for (int c = 0; c < WARP_N / 8; c++)
                for (int r = 0; r < WARP_M / 16; r++)
                    mma_sync(sum[r][c], these.a[r], these.b[c]);
        }
    }

    // Of each row, and of 32 columns, a lane has two vectors side by side.
#pragma unroll
    for (int r = 0; r < WARP_M / 16; r++)
#pragma unroll
        for (int c = 0; c < WARP_N / 8; c += 4)
#pragma unroll
            for (int t = 0; t < 4; t++) {
                const int i = row + y + r * 16 + g + t / 2 * 8;    // its row of C
                const int j = col + x + c * 8 + q * 8 + t % 2 * 4; // the first of four columns
                const real4 vector = {sum[r][c][t], sum[r][c + 1][t], sum[r][c + 2][t],
                                      sum[r][c + 3][t]};
                if (i < M && j < N && N % 4 == 0)
                    *(real4 *)&C[i * N + j] = vector;
                else
                    for (int v = 0; v < 4; v++)
                        if (i < M && j + v < N)
                            C[i * N + j + v] = vector.at[v];
            }
}
