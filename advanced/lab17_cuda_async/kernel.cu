// SPDX-License-Identifier: MIT
// The loop has fewer instructions: no bounds checks, as the tiles that are not full come first, and
// pointers that advance. And ptxas keeps the order of the products (-O1, in the Makefile), in which
// operands are read once for several. Together 3 percent at 4096, and 12 at 5001.
#include <cuda_pipeline.h>
#include "params.h"

#define A_ELEMENTS (TILE_M * TILE_K / THREADS) // of the tile of A, that a thread copies
#define A_STRIDE (THREADS / TILE_K)            // rows of the tile from one of them to the next

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// A thread's operands for one k: rows of A's tile and columns of B's, from its first ones on.
static __device__ void load(real4 *a, real4 *b, const real *a_tile, const real *b_tile)
{
    for (int r = 0; r < ROWS_PER_THREAD / 4; r++)
        a[r] = *(const real4 *)&a_tile[r * 4 * LANES_Y];
    for (int c = 0; c < COLS_PER_THREAD / 4; c++)
        b[c] = *(const real4 *)&b_tile[c * 4 * LANES_X];
}

// A block's tile of C. Of B, WIDTH elements are copied at a time: 16 bytes, or one where its rows
// do not begin at multiples of four.
template <int WIDTH>
static __device__ void compute(int M, int N, int K, const real *A, const real *B, real *C)
{
    constexpr int B_COPIES = TILE_K * TILE_N / WIDTH / THREADS; // that a thread issues
    constexpr bool BELOW = THREADS * WIDTH % TILE_N == 0;       // each is below the one before
    extern __shared__ real4 shared[];
    real(*a_tiles)[TILE_K][TILE_M + PAD] = (real(*)[TILE_K][TILE_M + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][TILE_N] = (real(*)[TILE_K][TILE_N])(a_tiles + STAGES);
    const unsigned thread = threadIdx.x; // its index in the block (0..THREADS-1)
    const int warp = thread / 32, lane = thread % 32;
    const int lane_x = lane / 8 * 2 + lane % 2; // 0..LANES_X-1, the same for lane ^ 2: one read
    const int lane_y = lane / 2 % LANES_Y;      // 0..LANES_Y-1, the same for lane ^ 1
    const int x = warp % WARPS_X * WARP_N + lane_x * 4; // its first column in the tile of C
    const int y = warp / WARPS_X * WARP_M + lane_y * 4; // its first row there
    const int tiles_n = (N - 1) / TILE_N + 1;           // in a row of tiles of C
    const int col = blockIdx.x % tiles_n * TILE_N;      // first column of the tile of C (0..N-1)
    const int row = blockIdx.x / tiles_n * TILE_M;      // first row of the tile of C (0..M-1)
    // The offsets of what a thread copies, from the first k of a tile on. Past the last row of A or
    // column of B they are clamped to it, and the results not stored.
    const unsigned a_row = thread / TILE_K, a_k = thread % TILE_K;
    unsigned a_at[A_ELEMENTS];
    int b_at[BELOW ? 1 : B_COPIES];
    for (int n = 0; n < A_ELEMENTS; n++)
        a_at[n] = min(row + a_row + n * A_STRIDE, (unsigned)M - 1) * K + a_k;
    for (int n = 0; n < (BELOW ? 1 : B_COPIES); n++) {
        const unsigned at = (thread + n * THREADS) * WIDTH; // in the tile, as a row
        b_at[n] = at / TILE_N * N + min(col + at % TILE_N, (unsigned)N - WIDTH);
    }

    // Issues the copies of the next tiles into a stage (0..STAGES-1), k < `zeros` of them 0: only
    // the first ones have any, so that K ends with full tiles.
    auto copy = [&](int stage, unsigned zeros) {
        for (int n = 0; n < A_ELEMENTS; n++)
            __pipeline_memcpy_async(&a_tiles[stage][a_k][a_row + n * A_STRIDE],
                                    &A[a_at[n] - min(a_k, zeros)], sizeof(real),
                                    a_k < zeros ? sizeof(real) : 0);
        for (int n = 0; n < B_COPIES; n++) {
            const unsigned at = (thread + n * THREADS) * WIDTH, k = at / TILE_N;
            const int index = b_at[BELOW ? 0 : n];
            const int further = BELOW ? n * (THREADS * WIDTH / TILE_N) * N : 0;
            // Without a sign, so that nothing overflows; with one it is fewer instructions.
            __pipeline_memcpy_async(b_tiles[stage][0] + at,
                                    zeros > 0 ? &B[(unsigned)index + further - min(k, zeros) * N]
                                              : &B[index + further],
                                    WIDTH * sizeof(real), k < zeros ? WIDTH * sizeof(real) : 0);
        }
        A += TILE_K - zeros;
        B += (size_t)(TILE_K - zeros) * N;
    };
    copy(0, TILE_K - 1 - (K - 1) % TILE_K);
    __pipeline_commit();
    for (int s = 1; s < STAGES - 1; s++) {
        if (s * TILE_K < K)
            copy(s, 0);
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // the first tiles are complete

    real4 sum[ROWS_PER_THREAD][COLS_PER_THREAD / 4] = {};
    real4 a[2][ROWS_PER_THREAD / 4], b[2][COLS_PER_THREAD / 4]; // of even k, and of odd
    load(a[0], b[0], &a_tiles[0][0][y], &b_tiles[0][0][x]);
    int stage = 0, free_stage = STAGES - 1;
    for (int k0 = 0; k0 < K; k0 += TILE_K)
#pragma unroll
        for (int k = 0; k < TILE_K; k++) {
            if (k == TILE_K - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next tiles are complete, and these are consumed
                stage = stage + 1 < STAGES ? stage + 1 : 0;
            }
            load(a[(k + 1) % 2], b[(k + 1) % 2], &a_tiles[stage][(k + 1) % TILE_K][y],
                 &b_tiles[stage][(k + 1) % TILE_K][x]);
            if (k == 0) {
                if (k0 + (STAGES - 1) * TILE_K < K)
                    copy(free_stage, 0);
                __pipeline_commit();
                free_stage = free_stage + 1 < STAGES ? free_stage + 1 : 0;
            }
            for (int c = 0; c < COLS_PER_THREAD; c++)
                for (int n = 0; n < ROWS_PER_THREAD; n++) {
                    // To and fro: where one column ends, the next begins with the same row.
                    const int r = c % 2 == 0 ? n : ROWS_PER_THREAD - 1 - n;
                    sum[r][c / 4].at[c % 4] +=
                        a[k % 2][r / 4].at[r % 4] * b[k % 2][c / 4].at[c % 4];
                }
        }

#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; r++)
#pragma unroll
        for (int c = 0; c < COLS_PER_THREAD / 4; c++) {
            const int i = row + y + r / 4 * 4 * LANES_Y + r % 4; // its row of C
            const int j = col + x + c * 4 * LANES_X;             // the first of its four columns
            // To other registers: a store wants four in a row, which in the loop are bank
            // conflicts.
            for (int v = 0; v < 4; v++)
                sum[r][c].at[v] += 0;
            if (WIDTH > 1 && i < M && j < N)
                *(real4 *)&C[i * N + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c].at[v];
        }
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
// The 1, blocks of an SM at least, has ptxas choose other registers, with which the loop is faster.
__global__ void __launch_bounds__(THREADS, 1)
    gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    if (N % 4 == 0)
        compute<16 / sizeof(real)>(M, N, K, A, B, C);
    else
        compute<1>(M, N, K, A, B, C);
}
