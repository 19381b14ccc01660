// SPDX-License-Identifier: MIT
// Tensor cores truncate a sum (round toward zero), so that the errors do not cancel. So each MMA
// starts from a zero accumulator every MMA_K values of k, and its result is added in FP32 on the
// CUDA cores, which round to nearest.
#include <cuda_pipeline.h>
#include <mma.h>
#include "params.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STRIDE (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STRIDE (THREADS / (TILE_N / 4))

using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, MMA_M, MMA_N, MMA_K, wmma::precision::tf32, wmma::row_major>
    frag_a;
typedef wmma::fragment<wmma::matrix_b, MMA_M, MMA_N, MMA_K, wmma::precision::tf32, wmma::row_major>
    frag_b;
typedef wmma::fragment<wmma::accumulator, MMA_M, MMA_N, MMA_K, real> frag_c;

// at[t]: where element t of a lane's fragment lies in a tile with rows of `width` elements.
// `indices`, a matrix with `cols` columns, holds 0, 1, 2, ...: so each lane loads the indices of
// its own elements.
template <class Fragment>
static __device__ void query_fragment_layout(int *at, int cols, int width, const real *indices)
{
    Fragment frag;
    wmma::load_matrix_sync(frag, indices, cols);
    for (int t = 0; t < frag.num_elements; t++)
        at[t] = (int)frag.x[t] / cols * width + (int)frag.x[t] % cols;
}

// This lane's elements of the fragment that begins at `origin` of a tile, split: x = large + small,
// but for the last bit, at most. `small` is the residual.
template <class Fragment>
static __device__ void load(Fragment &large, Fragment &small, const real *origin, const int *at)
{
    for (int t = 0; t < large.num_elements; t++) {
        const real x = origin[at[t]];
        large.x[t] = wmma::__float_to_tf32(x);
        small.x[t] = wmma::__float_to_tf32(x - large.x[t]);
    }
}

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
    extern __shared__ __align__(32) real4 shared[]; // wmma's alignment
    real(*a_tiles)[TILE_M][TILE_K + PAD] = (real(*)[TILE_M][TILE_K + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][TILE_N + PAD_B] = (real(*)[TILE_K][TILE_N + PAD_B])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its index in the block (0..THREADS-1)
    const int warp = thread / 32;
    const int x = warp % WARPS_X * WARP_N;         // first column of the warp in the tile of C
    const int y = warp / WARPS_X * WARP_M;         // its first row there
    const int tiles_n = (N - 1) / TILE_N + 1;      // in a row of tiles of C
    const int col = blockIdx.x % tiles_n * TILE_N; // first column of the tile of C (0..N-1)
    const int row = blockIdx.x / tiles_n * TILE_M; // first row of the tile of C (0..M-1)
    // Its first vectors in the tiles of A and B.
    const int a_row = thread / (TILE_K / 4), a_k = thread % (TILE_K / 4) * 4;
    const int b_k = thread / (TILE_N / 4), b_col = thread % (TILE_N / 4) * 4;
    const bool interior = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real *indices = (real *)shared;
    for (int i = thread; i < MMA_K * MMA_N; i += THREADS)
        indices[i] = i;
    __syncthreads();
    int a_at[frag_a::num_elements], b_at[frag_b::num_elements];
    query_fragment_layout<frag_a>(a_at, MMA_K, TILE_K + PAD, indices);
    query_fragment_layout<frag_b>(b_at, MMA_N, TILE_N + PAD_B, indices);
    __syncthreads(); // they are consumed: tiles may be stored there

    frag_c sum[WARP_M / MMA_M][WARP_N / MMA_N];
    for (int r = 0; r < WARP_M / MMA_M; r++)
        for (int c = 0; c < WARP_N / MMA_N; c++)
            wmma::fill_fragment(sum[r][c], 0);
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
            frag_a a_large[WARP_M / MMA_M], a_small[WARP_M / MMA_M];
            for (int r = 0; r < WARP_M / MMA_M; r++)
                load(a_large[r], a_small[r], &a_tiles[stage][y + r * MMA_M][k], a_at);
            for (int c = 0; c < WARP_N / MMA_N; c++) {
                frag_b b_large, b_small;
                load(b_large, b_small, &b_tiles[stage][k][x + c * MMA_N], b_at);
                for (int r = 0; r < WARP_M / MMA_M; r++) {
                    frag_c products;
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
    __syncthreads(); // the tiles are consumed: their memory may be reused

    real *c_tile = (real *)shared + warp * MMA_M * MMA_N;
#pragma unroll
    for (int r = 0; r < WARP_M / MMA_M; r++)
#pragma unroll
        for (int c = 0; c < WARP_N / MMA_N; c++) {
            const int i = row + y + r * MMA_M, j = col + x + c * MMA_N; // its indices in C
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
