// SPDX-License-Identifier: MIT
// Register double buffering, as in lab 17: the elements of the next MMA_K values of k are loaded
// and rounded while those of this one are multiplied, across a barrier, too. Edge tiles are copied
// without bounds checks: indices are clamped.
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

// Copies an element of a matrix (rows x cols, row-major); outside it is 0, and nothing is read.
static __device__ void copy_element_async(real *to, const real *matrix, int rows, int cols, int row,
                                          int col)
{
    const bool in_bounds = row < rows && col < cols;
    __pipeline_memcpy_async(to, &matrix[in_bounds ? row * cols + col : 0], sizeof(real),
                            in_bounds ? 0 : sizeof(real));
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void __launch_bounds__(THREADS, 1)
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

    // Issues the copies of the tiles of `k0` (0..K-1) into a stage (0..STAGES-1). Row and column
    // indices past the end are clamped to the last row of A and the last vector of B; the results
    // are not stored.
    auto copy = [&](int stage, int k0) {
        if (K % 4 == 0 && N % 4 == 0 && k0 + TILE_K <= K) {
            for (int n = 0; n < A_VECTORS; n++)
                __pipeline_memcpy_async(&a_tiles[stage][a_row + n * A_STRIDE][a_k],
                                        &A[min(row + a_row + n * A_STRIDE, M - 1) * K + k0 + a_k],
                                        16);
            for (int n = 0; n < B_VECTORS; n++)
                __pipeline_memcpy_async(&b_tiles[stage][b_k + n * B_STRIDE][b_col],
                                        &B[(k0 + b_k + n * B_STRIDE) * N + min(col + b_col, N - 4)],
                                        16);
            return;
        }
#pragma unroll 1 // else it takes registers from the loop over k
        for (int n = 0; n < A_VECTORS; n++)
            for (int v = 0; v < 4; v++)
                copy_element_async(&a_tiles[stage][a_row + n * A_STRIDE][a_k + v], A, M, K,
                                   row + a_row + n * A_STRIDE, k0 + a_k + v);
#pragma unroll 1
        for (int n = 0; n < B_VECTORS; n++)
            for (int v = 0; v < 4; v++)
                copy_element_async(&b_tiles[stage][b_k + n * B_STRIDE][b_col + v], B, K, N,
                                   k0 + b_k + n * B_STRIDE, col + b_col + v);
    };
    for (int s = 0; s < STAGES - 1; s++) {
        if (s * TILE_K < K)
            copy(s, s * TILE_K);
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // the first tiles are complete

    real sum[WARP_N / 16][WARP_M / 8][4] = {};
    fragments frags[2]; // double buffered: one is loaded while the other is multiplied
    const int a_lane = y + lane / 16 * 8 + lane % 8, k_lane = lane / 8 % 2 * 4, b_lane = x + g * 2;
    load(frags[0], &a_tiles[0][a_lane][k_lane], &b_tiles[0][q][b_lane]);
    round_all(frags[0]);
    int stage = 0, free_stage = STAGES - 1;
    for (int k0 = 0; k0 < K; k0 += TILE_K)
#pragma unroll
        for (int k = 0; k < TILE_K; k += MMA_K) {
            fragments &these = frags[k / MMA_K % 2], &next = frags[(k / MMA_K + 1) % 2];
            const int k_next = (k + MMA_K) % TILE_K;
            if (k_next == 0) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next tiles are complete, and these are consumed
                stage = stage + 1 < STAGES ? stage + 1 : 0;
            }
            load(next, &a_tiles[stage][a_lane][k_next + k_lane],
                 &b_tiles[stage][k_next + q][b_lane]);
            if (k == 0) {
                if (k0 + (STAGES - 1) * TILE_K < K)
                    copy(free_stage, k0 + (STAGES - 1) * TILE_K);
                __pipeline_commit();
                free_stage = free_stage + 1 < STAGES ? free_stage + 1 : 0;
            }
            for (int r = 0; r < WARP_M / 8; r++)
                for (int n = 0; n < WARP_N / 16; n++) {
                    // To and fro, a row of fragments with the same operand of A.
                    const int c = r % 2 == 0 ? n : WARP_N / 16 - 1 - n;
                    mma_sync(sum[c][r], these.left[c], these.right[r]);
                }
            round_all(next); // the other units are free meanwhile
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
