// SPDX-License-Identifier: MIT
// The instruction itself, mma.sync, for which PTX specifies which elements a lane holds
// (../common/tensor.h): 16 x 8 by 8 x 8, half as many instructions as nvcc makes of wmma. A lane
// loads its elements of A by ldmatrix, four at once, and those of B as pairs: which columns a
// product computes is free to choose, as long as C is stored alike.
#include <cuda_pipeline.h>
#include "params.h"
#include "tensor.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STRIDE (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STRIDE (THREADS / (TILE_N / 4))

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

struct alignas(2 * sizeof(real)) real2 {
    real at[2];
};

// A lane's elements for MMA_K values of k. C is computed transposed, B^T * A^T, so that they come
// in the order in which mma_sync() takes them: 16 columns of B are rows of what it calls a, 8 rows
// of A columns of its b.
struct fragments {
    real left[WARP_N / 16][4], right[WARP_M / 8][2];
};

// `a`: this lane's row for ldmatrix, of 8 rows and 4 values of k, 8 and the next 4, the next 8;
// `b`: its columns, as 2 * g and 2 * g + 1 of 16 are rows g and g + 8 of a fragment.
static __device__ void load(fragments &to, const real *a, const real *b)
{
    for (int r = 0; r < WARP_M / 16; r++)
        ldmatrix(to.right[2 * r], &a[r * 16 * (TILE_K + PAD)]);
    for (int c = 0; c < WARP_N / 16; c++)
        for (int h = 0; h < 2; h++) {
            const real2 pair = *(const real2 *)&b[h * 4 * (TILE_N + PAD_B) + c * 16];
            to.left[c][2 * h] = pair.at[0], to.left[c][2 * h + 1] = pair.at[1];
        }
}

static __device__ void round_all(fragments &frag)
{
    for (int c = 0; c < WARP_N / 16; c++)
        for (int t = 0; t < 4; t++)
            frag.left[c][t] = round_to_tf32(frag.left[c][t]);
    for (int r = 0; r < WARP_M / 8; r++)
        for (int t = 0; t < 2; t++)
            frag.right[r][t] = round_to_tf32(frag.right[r][t]);
}

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
    real(*b_tiles)[TILE_K][TILE_N + PAD_B] = (real(*)[TILE_K][TILE_N + PAD_B])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its index in the block (0..THREADS-1)
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
    const bool interior = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real sum[WARP_N / 16][WARP_M / 8][4] = {};
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
            copy_tile_async(B_VECTORS, &b_tiles[stage][b_k][b_col], TILE_N + PAD_B, B, K, N,
                            k0 + b_k, col + b_col, B_STRIDE, full_tile);
        }
        __pipeline_commit(); // an empty group, too: so that there is one per iteration
        stage = stage + 1 < STAGES ? stage + 1 : 0; // from here on the oldest
        if (k0 < (STAGES - 1) * TILE_K)
            continue;

#pragma unroll
        for (int k = 0; k < TILE_K; k += MMA_K) {
            fragments these;
            load(these, &a_tiles[stage][y + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 4],
                 &b_tiles[stage][k + q][x + g * 2]);
            round_all(these);
            for (int r = 0; r < WARP_M / 8; r++)
                for (int c = 0; c < WARP_N / 16; c++)
                    mma_sync(sum[c][r], these.left[c], these.right[r]);
        }
    }

    // Of each row, and of 16 columns, a lane has two side by side.
#pragma unroll
    for (int c = 0; c < WARP_N / 16; c++)
#pragma unroll
        for (int r = 0; r < WARP_M / 8; r++)
#pragma unroll
            for (int t = 0; t < 2; t++) {
                const int i = row + y + r * 8 + q * 2 + t; // its row of C
                const int j = col + x + c * 16 + g * 2;    // the first of its two columns
                const real2 pair = {sum[c][r][t], sum[c][r][t + 2]};
                if (i < M && j < N && N % 2 == 0)
                    *(real2 *)&C[i * N + j] = pair;
                else
                    for (int v = 0; v < 2; v++)
                        if (i < M && j + v < N)
                            C[i * N + j + v] = pair.at[v];
            }
}
