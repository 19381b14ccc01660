// SPDX-License-Identifier: MIT
// Where C has few tiles, most of a GPU has nothing to do: so K is split, and a tile is computed by
// several blocks, each with its part of K, that add their sums to C. Which is added first differs
// from run to run, and with it how they are rounded.
#include <cuda_pipeline.h>
#include "gpu.h"
#include "params.h"

#define A_ELEMENTS (TILE_M * TILE_K / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STRIDE (THREADS / TILE_K) // rows of the tile from one of them to the next
#define B_STRIDE (THREADS / (TILE_N / 4))

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// Copies an element of a matrix (rows x cols, row-major); outside it is 0, and nothing is read.
static __device__ void copy_element_async(real *to, const real *matrix, int rows, int cols, int row,
                                          int col)
{
    const bool in_bounds = row < rows && col < cols;
    __pipeline_memcpy_async(to, &matrix[in_bounds ? row * cols + col : 0], sizeof(real),
                            in_bounds ? 0 : sizeof(real));
}

// A thread's operands for one k: rows of A's tile and columns of B's, from its first ones on.
static __device__ void load(real4 *a, real4 *b, const real *a_tile, const real *b_tile)
{
    for (int r = 0; r < ROWS_PER_THREAD / 4; r++)
        a[r] = *(const real4 *)&a_tile[r * 4 * LANES_Y];
    for (int c = 0; c < COLS_PER_THREAD / 4; c++)
        b[c] = *(const real4 *)&b_tile[c * 4 * LANES_X];
}

// The tile of C that begins at `row`, `col`: its products of k = begin..end-1, begin a multiple of
// TILE_K and end one or K. They are stored, or added to what is there.
static __device__ void compute(int M, int N, int K, const real *A, const real *B, real *C, int row,
                               int col, int begin, int end, bool is_part)
{
    extern __shared__ real4 shared[];
    real(*a_tiles)[TILE_K][TILE_M + PAD] = (real(*)[TILE_K][TILE_M + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][TILE_N] = (real(*)[TILE_K][TILE_N])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its index in the block (0..THREADS-1)
    const int warp = thread / 32, lane = thread % 32;
    const int lane_x = lane / 8 * 2 + lane % 2; // 0..LANES_X-1, the same for lane ^ 2: one read
    const int lane_y = lane / 2 % LANES_Y;      // 0..LANES_Y-1, the same for lane ^ 1
    const int x = warp % WARPS_X * WARP_N + lane_x * 4; // its first column in the tile of C
    const int y = warp / WARPS_X * WARP_M + lane_y * 4; // its first row there
    // Its first element in the tile of A, and its first vector in that of B.
    const int a_row = thread / TILE_K, a_k = thread % TILE_K;
    const int b_k = thread / (TILE_N / 4), b_col = thread % (TILE_N / 4) * 4;
    // Their offsets in the matrices. Indices past the last row or column are clamped to it, and the
    // results not stored: no bounds checks. Those of k are clamped so that nothing overflows.
    int a_at[A_ELEMENTS];
    for (int n = 0; n < A_ELEMENTS; n++)
        a_at[n] = min(row + a_row + n * A_STRIDE, M - 1) * K + min(a_k, K - 1);
    const int b_at = min(b_k, K - 1) * N + min(col + b_col, N - 4);

    // Issues the copies of the tiles of `k0` (0..K-1) into a stage (0..STAGES-1).
    auto copy = [&](int stage, int k0) {
        if (N % 4 == 0 && k0 + TILE_K <= K) {
            for (int n = 0; n < A_ELEMENTS; n++)
                __pipeline_memcpy_async(&a_tiles[stage][a_k][a_row + n * A_STRIDE],
                                        &A[a_at[n] + k0], sizeof(real));
            for (int n = 0; n < B_VECTORS; n++)
                for (int v = 0; v < 4; v += 16 / sizeof(real))
                    __pipeline_memcpy_async(&b_tiles[stage][b_k + n * B_STRIDE][b_col + v],
                                            &B[b_at + (k0 + n * B_STRIDE) * N + v], 16);
            return;
        }
        for (int n = 0; n < A_ELEMENTS; n++)
            copy_element_async(&a_tiles[stage][a_k][a_row + n * A_STRIDE], A, M, K,
                               row + a_row + n * A_STRIDE, k0 + a_k);
        for (int n = 0; n < B_VECTORS; n++)
            for (int v = 0; v < 4; v++)
                copy_element_async(&b_tiles[stage][b_k + n * B_STRIDE][b_col + v], B, K, N,
                                   k0 + b_k + n * B_STRIDE, col + b_col + v);
    };
    for (int s = 0; s < STAGES - 1; s++) {
        if (begin + s * TILE_K < end)
            copy(s, begin + s * TILE_K);
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // the first tiles are complete

    real4 sum[ROWS_PER_THREAD][COLS_PER_THREAD / 4] = {};
    real4 a[2][ROWS_PER_THREAD / 4], b[2][COLS_PER_THREAD / 4]; // of even k, and of odd
    load(a[0], b[0], &a_tiles[0][0][y], &b_tiles[0][0][x]);
    int stage = 0, free_stage = STAGES - 1;
    for (int k0 = begin; k0 < end; k0 += TILE_K)
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
                if (k0 + (STAGES - 1) * TILE_K < end)
                    copy(free_stage, k0 + (STAGES - 1) * TILE_K);
                __pipeline_commit();
                free_stage = free_stage + 1 < STAGES ? free_stage + 1 : 0;
            }
            for (int r = 0; r < ROWS_PER_THREAD; r++)
                for (int n = 0; n < COLS_PER_THREAD; n++) {
                    // To and fro: where one row ends, the next begins with the same operand of B.
                    const int c = r % 2 == 0 ? n : COLS_PER_THREAD - 1 - n;
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
            if (i < M && j < N && N % 4 == 0 && !is_part)
                *(real4 *)&C[i * N + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N) {
                        if (is_part)
                            atomicAdd(&C[i * N + j + v], sum[r][c].at[v]);
                        else
                            C[i * N + j + v] = sum[r][c].at[v];
                    }
        }
}

// A block for each part of K, of each tile of C. In y and z a grid has room for 65,535, in x for
// 2^31. The 1, blocks of an SM at least, has nvcc choose other registers, with which the loop is
// faster.
__global__ void __launch_bounds__(THREADS, 1)
    multiply(int M, int N, int K, int parts, const real *A, const real *B, real *C)
{
    const int tiles_n = (N - 1) / TILE_N + 1, iterations = (K - 1) / TILE_K + 1;
    const int tile = blockIdx.x / parts, part = blockIdx.x % parts;
    const int row = tile / tiles_n * TILE_M; // first row of the tile of C (0..M-1)
    const int col = tile % tiles_n * TILE_N; // first column of the tile of C (0..N-1)
    const int begin = (int)((long)iterations * part / parts);
    const int end = (int)((long)iterations * (part + 1) / parts);
    compute(M, N, K, A, B, C, row, col, begin * TILE_K, min(end * TILE_K, K), parts > 1);
}

// How many blocks run at the same time.
static int resident_blocks(void)
{
    struct cudaDeviceProp device;
    int number, of_one;
    CHECK(cudaGetDevice(&number));
    CHECK(cudaGetDeviceProperties(&device, number));
    if (device.sharedMemPerBlockOptin < SHARED_BYTES)
        exit_with(EXIT_SKIPPED,
                  "skipped: a block needs %d KiB of shared memory, and has %d here: STAGES=2",
                  SHARED_BYTES / 1024, (int)(device.sharedMemPerBlockOptin / 1024));
    CHECK(
        cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, multiply, THREADS, SHARED_BYTES));
    return of_one * device.multiProcessorCount;
}

static int ceil_div(int count, int size)
{
    return (count - 1) / size + 1;
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static int blocks; // that K is split for
    if (blocks == 0)
        blocks = BLOCKS > 0 ? BLOCKS : resident_blocks();
    const int tiles = ceil_div(M, TILE_M) * ceil_div(N, TILE_N);
    const int parts = max(1, min(blocks / tiles, ceil_div(K, TILE_K) / MIN_ITERATIONS));
    if (parts > 1)
        CHECK(cudaMemsetAsync(C, 0, (size_t)M * N * sizeof(real)));
    multiply<<<tiles * parts, THREADS, SHARED_BYTES>>>(M, N, K, parts, A, B, C);
}
