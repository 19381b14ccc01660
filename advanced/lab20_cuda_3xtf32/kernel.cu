// SPDX-License-Identifier: MIT
// The tensor cores do not round a sum, they cut it: always towards 0, so that the errors add up. So they add
// no more than the products of one step of k, from 0 on, and what has been summed up is kept outside of them,
// where a sum is rounded.
#include <cuda_pipeline.h>
#include <mma.h>
#include "params.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STEP (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STEP (THREADS / (TILE_N / 4))

using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, MMA_M, MMA_N, MMA_K, wmma::precision::tf32, wmma::row_major>
    a_part;
typedef wmma::fragment<wmma::matrix_b, MMA_M, MMA_N, MMA_K, wmma::precision::tf32, wmma::row_major>
    b_part;
typedef wmma::fragment<wmma::accumulator, MMA_M, MMA_N, MMA_K, real> c_part;

// at[t]: where number t of a lane's fragment lies in a tile with rows of `width` numbers. `indices`, of a matrix
// with `cols` columns, are 0, 1, 2, ...: so each lane loads the indices of its own numbers.
template <class Part>
static __device__ void find_places(int *at, int cols, int width, const real *indices)
{
    Part part;
    wmma::load_matrix_sync(part, indices, cols);
    for (int t = 0; t < part.num_elements; t++)
        at[t] = (int)part.x[t] / cols * width + (int)part.x[t] % cols;
}

// This lane's fragment of the part of a tile that begins at `first`, split: x = large + small, but for the last
// bit, at most.
template <class Part>
static __device__ void load(Part &large, Part &small, const real *first, const int *at)
{
    for (int t = 0; t < large.num_elements; t++) {
        const real x = first[at[t]];
        large.x[t] = wmma::__float_to_tf32(x);
        small.x[t] = wmma::__float_to_tf32(x - large.x[t]);
    }
}

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
    extern __shared__ __align__(32) real4 shared[]; // as fragments want it
    real(*a_tiles)[TILE_M][TILE_K + PAD] = (real(*)[TILE_M][TILE_K + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][TILE_N + PAD_B] = (real(*)[TILE_K][TILE_N + PAD_B])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its number in the block (0..THREADS-1)
    const int warp = thread / 32;
    const int x = warp % WARPS_X * WARP_N;         // first column of the warp in the tile of C
    const int y = warp / WARPS_X * WARP_M;         // its first row there
    const int tiles_n = (N - 1) / TILE_N + 1;      // in a row of tiles of C
    const int col = blockIdx.x % tiles_n * TILE_N; // first column of the tile of C (0..N-1)
    const int row = blockIdx.x / tiles_n * TILE_M; // first row of the tile of C (0..M-1)
    // Its first vectors in the tiles of A and B.
    const int a_row = thread / (TILE_K / 4), a_k = thread % (TILE_K / 4) * 4;
    const int b_k = thread / (TILE_N / 4), b_col = thread % (TILE_N / 4) * 4;
    const bool inside = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real *indices = (real *)shared;
    for (int i = thread; i < MMA_K * MMA_N; i += THREADS)
        indices[i] = i;
    __syncthreads();
    int a_at[a_part::num_elements], b_at[b_part::num_elements];
    find_places<a_part>(a_at, MMA_K, TILE_K + PAD, indices);
    find_places<b_part>(b_at, MMA_N, TILE_N + PAD_B, indices);
    __syncthreads(); // they are read: tiles may come there

    c_part sum[WARP_M / MMA_M][WARP_N / MMA_N];
    for (int r = 0; r < WARP_M / MMA_M; r++)
        for (int c = 0; c < WARP_N / MMA_N; c++)
            wmma::fill_fragment(sum[r][c], 0);
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
            a_part a_large[WARP_M / MMA_M], a_small[WARP_M / MMA_M];
            for (int r = 0; r < WARP_M / MMA_M; r++)
                load(a_large[r], a_small[r], &a_tiles[stage][y + r * MMA_M][k], a_at);
            for (int c = 0; c < WARP_N / MMA_N; c++) {
                b_part b_large, b_small;
                load(b_large, b_small, &b_tiles[stage][k][x + c * MMA_N], b_at);
                for (int r = 0; r < WARP_M / MMA_M; r++) {
                    c_part products;
                    wmma::fill_fragment(products, 0);
                    wmma::mma_sync(products, a_small[r], b_large, products);
                    wmma::mma_sync(products, a_large[r], b_small, products);
                    wmma::mma_sync(products, a_large[r], b_large, products);
                    for (int t = 0; t < products.num_elements; t++)
                        sum[r][c].x[t] += products.x[t];
                }
            }
        }
    }
    __syncthreads(); // the tiles are read: their place may be used

    real *c_tile = (real *)shared + warp * MMA_M * MMA_N;
#pragma unroll
    for (int r = 0; r < WARP_M / MMA_M; r++)
#pragma unroll
        for (int c = 0; c < WARP_N / MMA_N; c++) {
            const int i = row + y + r * MMA_M, j = col + x + c * MMA_N; // its place in C
            if (i + MMA_M <= M && j + MMA_N <= N && N % 4 == 0) {
                wmma::store_matrix_sync(&C[i * N + j], sum[r][c], N, wmma::mem_row_major);
                continue;
            }
            wmma::store_matrix_sync(c_tile, sum[r][c], MMA_N, wmma::mem_row_major);
            __syncwarp();
            for (int n = thread % 32; n < MMA_M * MMA_N; n += 32)
                if (i + n / MMA_N < M && j + n % MMA_N < N)
                    C[(i + n / MMA_N) * N + j + n % MMA_N] = c_tile[n];
            __syncwarp();
        }
}
