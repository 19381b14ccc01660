// SPDX-License-Identifier: MIT
// Stream-K. Tiles make whole waves of blocks, but for the last one; what remains is cut into as
// many equal shares as blocks run at the same time, wherever in a tile that may be. So all are busy
// to the end.
#include <cuda_pipeline.h>
#include "gpu.h"
#include "params.h"

#define A_ELEMENTS (TILE_M * TILE_K / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STRIDE (THREADS / TILE_K) // rows of the tile from one of them to the next
#define B_STRIDE (THREADS / (TILE_N / 4))

#define ADDERS 256 // threads of a block that adds

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// The first `full` tiles of C have a block each, the others `shares` blocks together: `total`
// iterations over k, one tile after the other. Here a share begins,
static __device__ int begin_of(int share, int shares, int total)
{
    return (int)((long)total * share / shares);
}

// and an iteration is in the last share that does not begin after it.
static __device__ int share_of(int iteration, int shares, int total)
{
    return (int)((((long)iteration + 1) * shares - 1) / total);
}

static __device__ real4 plus(real4 a, real4 b)
{
    for (int v = 0; v < 4; v++)
        a.at[v] += b.at[v];
    return a;
}

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
// TILE_K and end one or K. They are stored in C, or, where they are a part, all of the tile in
// `sums`.
static __device__ void compute(int M, int N, int K, const real *A, const real *B, real *C, int row,
                               int col, int begin, int end, real *sums)
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

    real *to = sums != NULL ? sums : &C[row * N + col];
    const int ld = sums != NULL ? TILE_N : N; // leading dimension
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; r++)
#pragma unroll
        for (int c = 0; c < COLS_PER_THREAD / 4; c++) {
            const int i = y + r / 4 * 4 * LANES_Y + r % 4; // its row of the tile
            const int j = x + c * 4 * LANES_X;             // the first of its four columns
            // To other registers: a store wants four in a row, which in the loop are bank
            // conflicts.
            for (int v = 0; v < 4; v++)
                sum[r][c].at[v] += 0;
            if (row + i < M && col + j < N && ld % 4 == 0)
                *(real4 *)&to[i * ld + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (row + i < M && col + j + v < N)
                        to[i * ld + j + v] = sum[r][c].at[v];
        }
}

// A tile for each of the first blocks, a share for each other. In y and z a grid has room for
// 65,535, in x for 2^31. The 1, blocks of an SM at least, has nvcc choose other registers, with
// which the loop is faster.
__global__ void __launch_bounds__(THREADS, 1)
    multiply(int M, int N, int K, int full, int shares, const real *A, const real *B, real *C,
             real *sums)
{
    const int tiles_n = (N - 1) / TILE_N + 1, iterations = (K - 1) / TILE_K + 1;
    const int total = (((M - 1) / TILE_M + 1) * tiles_n - full) * iterations;
    const int share = (int)blockIdx.x - full, first_tile = share < 0 ? blockIdx.x : full;
    const int end = share < 0 ? iterations : begin_of(share + 1, shares, total);
    for (int at = share < 0 ? 0 : begin_of(share, shares, total), count; at < end; at += count) {
        const int tile = first_tile + at / iterations, begin = at % iterations;
        count = min(end - at, iterations - begin);
        compute(M, N, K, A, B, C, tile / tiles_n * TILE_M, tile % tiles_n * TILE_N, begin * TILE_K,
                min((begin + count) * TILE_K, K),
                count < iterations ? &sums[(share + tile - full) * TILE_M * TILE_N] : NULL);
        __syncthreads(); // the tiles may be overwritten
    }
}

// Adds up the parts of tiles. As shares go on from tile to tile, part after part is in the
// workspace, at the sum of the indices of share and tile. The threads of a block with the same x
// have a vector of C together: each adds every blockDim.y-th part, and the first of them what they
// have.
__global__ void __launch_bounds__(ADDERS)
    add(int M, int N, int K, int full, int shares, const real *sums, real *C)
{
    __shared__ real4 added[ADDERS];
    const int vectors = TILE_M * TILE_N / 4, iterations = (K - 1) / TILE_K + 1;
    const int tiles_n = (N - 1) / TILE_N + 1, tiles = ((M - 1) / TILE_M + 1) * tiles_n;
    const int vector = blockIdx.x * blockDim.x + threadIdx.x, shared = vector / vectors;
    const int tile = full + shared, at = vector % vectors * 4; // its first element in the tile
    const int i = tile / tiles_n * TILE_M + at / TILE_N;       // its row of C
    const int j = tile % tiles_n * TILE_N + at % TILE_N;       // the first of its columns
    const int total = (tiles - full) * iterations;
    const int first = share_of(shared * iterations, shares, total);
    const int last = share_of((shared + 1) * iterations - 1, shares, total);
    const bool is_mine = i < M && j < N && first < last; // else it is in C
    real4 sum = {};
    if (is_mine)
        for (int share = first + threadIdx.y; share <= last; share += blockDim.y)
            sum = plus(sum, *(const real4 *)&sums[(share + shared) * TILE_M * TILE_N + at]);
    added[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    __syncthreads(); // all have added theirs
    if (threadIdx.y > 0 || !is_mine)
        return;
    for (unsigned n = 1; n < blockDim.y; n++)
        sum = plus(sum, added[n * blockDim.x + threadIdx.x]);
    for (int v = 0; v < 4 && j + v < N; v++)
        C[i * N + j + v] = sum.at[v];
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

// Memory for so many elements, between guards as the matrices are.
static real *create_workspace(size_t elements)
{
    char *block;
    CHECK(cudaMalloc(&block, elements * sizeof(real) + 2 * GUARD_BYTES));
    return (real *)(block + GUARD_BYTES);
}

static int ceil_div(int count, int size)
{
    return (count - 1) / size + 1;
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static int blocks; // that run at the same time
    static real *sums; // room for all their parts of tiles
    if (sums == NULL) {
        blocks = BLOCKS > 0 ? BLOCKS : resident_blocks();
        sums = create_workspace((size_t)2 * blocks * TILE_M * TILE_N);
    }
    const int tiles = ceil_div(M, TILE_M) * ceil_div(N, TILE_N);
    const int full = tiles / blocks * blocks, shared = tiles - full;
    const int most = shared * ceil_div(K, TILE_K) / MIN_ITERATIONS;
    const int shares = max(shared, min(blocks, most));
    multiply<<<full + shares, THREADS, SHARED_BYTES>>>(M, N, K, full, shares, A, B, C, sums);
    if (shares > shared) {
        unsigned adders = 1; // of a vector, four to eight parts each
        while (adders < 32 && 8 * adders <= (unsigned)(shares / shared))
            adders *= 2;
        add<<<ceil_div(shared * TILE_M * TILE_N / 4, ADDERS / adders),
              dim3(ADDERS / adders, adders)>>>(M, N, K, full, shares, sums, C);
    }
}
