// SPDX-License-Identifier: MIT
// bfloat16, 8 bits of each element: half the bytes in shared memory, and half the instructions. The
// elements must be converted on the way, which cp.async cannot do: threads stage them through
// registers, and round and store them while the previous tiles are used.
#include <cuda_bf16.h>
#include <mma.h>
#include "params.h"

#define MMA_K_BF16 16 // products that the tensor cores take of bfloat16 at a time
#define PAD_BF16 8    // elements between two rows of either tile
#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STRIDE (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STRIDE (THREADS / (TILE_N / 4))

using namespace nvcuda;
typedef __nv_bfloat16 bf16;
typedef wmma::fragment<wmma::matrix_a, MMA_M, MMA_N, MMA_K_BF16, bf16, wmma::row_major> frag_a;
typedef wmma::fragment<wmma::matrix_b, MMA_M, MMA_N, MMA_K_BF16, bf16, wmma::row_major> frag_b;
typedef wmma::fragment<wmma::accumulator, MMA_M, MMA_N, MMA_K_BF16, real> frag_c;

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

struct alignas(4 * sizeof(bf16)) narrow4 {
    bf16 at[4];
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

static __device__ narrow4 round4(real4 vector)
{
    narrow4 rounded;
    for (int v = 0; v < 4; v++)
        rounded.at[v] = __float2bfloat16(vector.at[v]);
    return rounded;
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void __launch_bounds__(THREADS)
    gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    extern __shared__ __align__(32) real4 shared[]; // wmma's alignment
    bf16(*a_tiles)[TILE_M][TILE_K + PAD_BF16] =
        (bf16(*)[TILE_M][TILE_K + PAD_BF16]) shared; // 2 of each
    bf16(*b_tiles)[TILE_K][TILE_N + PAD_BF16] = (bf16(*)[TILE_K][TILE_N + PAD_BF16])(a_tiles + 2);
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

    frag_c sum[WARP_M / MMA_M][WARP_N / MMA_N];
    for (int r = 0; r < WARP_M / MMA_M; r++)
        for (int c = 0; c < WARP_N / MMA_N; c++)
            wmma::fill_fragment(sum[r][c], 0);
    // An iteration loads the tiles of `k0` (0..K-1) and computes with the previous ones.
    for (int k0 = 0, tile = 0; k0 < K + TILE_K; k0 += TILE_K, tile = 1 - tile) {
        real4 a_next[A_VECTORS], b_next[B_VECTORS];
        const bool full_tile = interior && k0 + TILE_K <= K;
        load_tile(A_VECTORS, a_next, A, M, K, row + a_row, k0 + a_k, A_STRIDE, full_tile);
        load_tile(B_VECTORS, b_next, B, K, N, k0 + b_k, col + b_col, B_STRIDE, full_tile);

        if (k0 > 0)
#pragma unroll
            for (int k = 0; k < TILE_K; k += MMA_K_BF16) {
                frag_a a[WARP_M / MMA_M];
                for (int r = 0; r < WARP_M / MMA_M; r++)
                    wmma::load_matrix_sync(a[r], &a_tiles[1 - tile][y + r * MMA_M][k],
                                           TILE_K + PAD_BF16);
                for (int c = 0; c < WARP_N / MMA_N; c++) {
                    frag_b b;
                    wmma::load_matrix_sync(b, &b_tiles[1 - tile][k][x + c * MMA_N],
                                           TILE_N + PAD_BF16);
                    for (int r = 0; r < WARP_M / MMA_M; r++)
                        wmma::mma_sync(sum[r][c], a[r], b, sum[r][c]);
                }
            }

        for (int n = 0; n < A_VECTORS; n++)
            *(narrow4 *)&a_tiles[tile][a_row + n * A_STRIDE][a_k] = round4(a_next[n]);
        for (int n = 0; n < B_VECTORS; n++)
            *(narrow4 *)&b_tiles[tile][b_k + n * B_STRIDE][b_col] = round4(b_next[n]);
        __syncthreads(); // these tiles are complete, and the previous ones are consumed
    }

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
