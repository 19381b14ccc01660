// SPDX-License-Identifier: MIT
// Of very few rows no element of B is used twice by a thread, nor by its neighbours: so B goes past
// shared memory, from global memory into registers, many vectors at a time. A block has all of K
// for a few columns, and adds up what its threads have: no workspace, no second launch.
#include <cuda_pipeline.h>
#include "gpu.h"
#include "params.h"

#define A_STRIDE (THREADS / TILE_K) // rows of the tile of A from what a thread copies to the next
#define ADDERS 256                  // threads of a block that adds
#define FEW 4                       // rows, or fewer
#define FEW_THREADS 256             // of a block for them,
#define FEW_VECTORS 8               // the columns of so many vectors: 128 bytes of a row of B,
#define FEW_GROUPS (FEW_THREADS / FEW_VECTORS) // and so many parts of K
#define IN_FLIGHT 16                           // vectors of B that a thread waits for at once

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// A tile of C: a thread has ROWS of its rows, and so many warps lie below each other, the others
// beside them.
template <int ROWS_, int WARPS_DOWN> struct shape {
    static constexpr int ROWS = ROWS_, WARPS_BESIDE = THREADS / 32 / WARPS_DOWN;
    static constexpr int M = WARPS_DOWN * LANES_Y * ROWS, N = WARPS_BESIDE * WARP_N;
    static constexpr int A_ELEMENTS = M * TILE_K / THREADS; // that a thread copies
    static constexpr int B_VECTORS = TILE_K * N / 4 / THREADS, B_STRIDE = THREADS / (N / 4);
    static constexpr int BYTES = STAGES * TILE_K * (M + PAD + N) * (int)sizeof(real);
    static constexpr bool FITS = WARPS_BESIDE * WARPS_DOWN == THREADS / 32 && ROWS % 4 == 0 &&
                                 M * TILE_K % THREADS == 0 && 4 * THREADS % N == 0 &&
                                 TILE_K * N % (4 * THREADS) == 0;
    using half = shape<WARPS_DOWN == 1 ? ROWS / 2 : ROWS, (WARPS_DOWN + 1) / 2>;
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
template <class T>
static __device__ void load(real4 *a, real4 *b, const real *a_tile, const real *b_tile)
{
    for (int r = 0; r < T::ROWS / 4; r++)
        a[r] = *(const real4 *)&a_tile[r * 4 * LANES_Y];
    for (int c = 0; c < COLS_PER_THREAD / 4; c++)
        b[c] = *(const real4 *)&b_tile[c * 4 * LANES_X];
}

// The tile of C that begins at `row`, `col`: its products of k = begin..end-1, begin a multiple of
// TILE_K and end one or K. They are stored in C, or, where they are a part, all of the tile in
// `sums`.
template <class T>
static __device__ void compute(int M, int N, int K, const real *A, const real *B, real *C, int row,
                               int col, int begin, int end, real *sums)
{
    extern __shared__ real4 shared[];
    real(*a_tiles)[TILE_K][T::M + PAD] = (real(*)[TILE_K][T::M + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][T::N] = (real(*)[TILE_K][T::N])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its index in the block (0..THREADS-1)
    const int warp = thread / 32, lane = thread % 32;
    const int lane_x = lane / 8 * 2 + lane % 2; // 0..LANES_X-1, the same for lane ^ 2: one read
    const int lane_y = lane / 2 % LANES_Y;      // 0..LANES_Y-1, the same for lane ^ 1
    const int x = warp % T::WARPS_BESIDE * WARP_N + lane_x * 4; // its first column in the tile of C
    const int y = warp / T::WARPS_BESIDE * LANES_Y * T::ROWS + lane_y * 4; // its first row there
    // Its first element in the tile of A, and its first vector in that of B.
    const int a_row = thread / TILE_K, a_k = thread % TILE_K;
    const int b_k = thread / (T::N / 4), b_col = thread % (T::N / 4) * 4;
    // Their offsets in the matrices. Indices past the last row or column are clamped to it, and the
    // results not stored: no bounds checks. Those of k are clamped so that nothing overflows.
    int a_at[T::A_ELEMENTS];
    for (int n = 0; n < T::A_ELEMENTS; n++)
        a_at[n] = min(row + a_row + n * A_STRIDE, M - 1) * K + min(a_k, K - 1);
    const int b_at = min(b_k, K - 1) * N + min(col + b_col, N - 4);

    // Issues the copies of the tiles of `k0` (0..K-1) into a stage (0..STAGES-1).
    auto copy = [&](int stage, int k0) {
        if (N % 4 == 0 && k0 + TILE_K <= K) {
            for (int n = 0; n < T::A_ELEMENTS; n++)
                __pipeline_memcpy_async(&a_tiles[stage][a_k][a_row + n * A_STRIDE],
                                        &A[a_at[n] + k0], sizeof(real));
            for (int n = 0; n < T::B_VECTORS; n++)
                for (int v = 0; v < 4; v += 16 / sizeof(real))
                    __pipeline_memcpy_async(&b_tiles[stage][b_k + n * T::B_STRIDE][b_col + v],
                                            &B[b_at + (k0 + n * T::B_STRIDE) * N + v], 16);
            return;
        }
        for (int n = 0; n < T::A_ELEMENTS; n++)
            copy_element_async(&a_tiles[stage][a_k][a_row + n * A_STRIDE], A, M, K,
                               row + a_row + n * A_STRIDE, k0 + a_k);
        for (int n = 0; n < T::B_VECTORS; n++)
            for (int v = 0; v < 4; v++)
                copy_element_async(&b_tiles[stage][b_k + n * T::B_STRIDE][b_col + v], B, K, N,
                                   k0 + b_k + n * T::B_STRIDE, col + b_col + v);
    };
    for (int s = 0; s < STAGES - 1; s++) {
        if (begin + s * TILE_K < end)
            copy(s, begin + s * TILE_K);
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // the first tiles are complete

    real4 sum[T::ROWS][COLS_PER_THREAD / 4] = {};
    real4 a[2][T::ROWS / 4], b[2][COLS_PER_THREAD / 4]; // of even k, and of odd
    load<T>(a[0], b[0], &a_tiles[0][0][y], &b_tiles[0][0][x]);
    int stage = 0, free_stage = STAGES - 1;
    for (int k0 = begin; k0 < end; k0 += TILE_K)
#pragma unroll
        for (int k = 0; k < TILE_K; k++) {
            if (k == TILE_K - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next tiles are complete, and these are consumed
                stage = stage + 1 < STAGES ? stage + 1 : 0;
            }
            load<T>(a[(k + 1) % 2], b[(k + 1) % 2], &a_tiles[stage][(k + 1) % TILE_K][y],
                    &b_tiles[stage][(k + 1) % TILE_K][x]);
            if (k == 0) {
                if (k0 + (STAGES - 1) * TILE_K < end)
                    copy(free_stage, k0 + (STAGES - 1) * TILE_K);
                __pipeline_commit();
                free_stage = free_stage + 1 < STAGES ? free_stage + 1 : 0;
            }
            for (int r = 0; r < T::ROWS; r++)
                for (int n = 0; n < COLS_PER_THREAD; n++) {
                    // To and fro: where one row ends, the next begins with the same operand of B.
                    const int c = r % 2 == 0 ? n : COLS_PER_THREAD - 1 - n;
                    sum[r][c / 4].at[c % 4] +=
                        a[k % 2][r / 4].at[r % 4] * b[k % 2][c / 4].at[c % 4];
                }
        }

    real *to = sums != NULL ? sums : &C[row * N + col];
    const int ld = sums != NULL ? T::N : N; // leading dimension
#pragma unroll
    for (int r = 0; r < T::ROWS; r++)
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
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    multiply(int M, int N, int K, int full, int shares, const real *A, const real *B, real *C,
             real *sums)
{
    const int tiles_n = (N - 1) / T::N + 1, iterations = (K - 1) / TILE_K + 1;
    const int total = (((M - 1) / T::M + 1) * tiles_n - full) * iterations;
    const int share = (int)blockIdx.x - full, first_tile = share < 0 ? blockIdx.x : full;
    const int end = share < 0 ? iterations : begin_of(share + 1, shares, total);
    for (int at = share < 0 ? 0 : begin_of(share, shares, total), count; at < end; at += count) {
        const int tile = first_tile + at / iterations, begin = at % iterations;
        count = min(end - at, iterations - begin);
        compute<T>(M, N, K, A, B, C, tile / tiles_n * T::M, tile % tiles_n * T::N, begin * TILE_K,
                   min((begin + count) * TILE_K, K),
                   count < iterations ? &sums[(share + tile - full) * T::M * T::N] : NULL);
        __syncthreads(); // the tiles may be overwritten
    }
}

// Adds up the parts of tiles. As shares go on from tile to tile, part after part is in the
// workspace, at the sum of the indices of share and tile. The threads of a block with the same x
// have a vector of C together: each adds every blockDim.y-th part, and the first of them what they
// have.
template <class T>
__global__ void __launch_bounds__(ADDERS)
    add(int M, int N, int K, int full, int shares, const real *sums, real *C)
{
    __shared__ real4 added[ADDERS];
    const int vectors = T::M * T::N / 4, iterations = (K - 1) / TILE_K + 1;
    const int tiles_n = (N - 1) / T::N + 1, tiles = ((M - 1) / T::M + 1) * tiles_n;
    const int vector = blockIdx.x * blockDim.x + threadIdx.x, shared = vector / vectors;
    const int tile = full + shared, at = vector % vectors * 4; // its first element in the tile
    const int i = tile / tiles_n * T::M + at / T::N;           // its row of C
    const int j = tile % tiles_n * T::N + at % T::N;           // the first of its columns
    const int total = (tiles - full) * iterations;
    const int first = share_of(shared * iterations, shares, total);
    const int last = share_of((shared + 1) * iterations - 1, shares, total);
    const bool is_mine = i < M && j < N && first < last; // else it is in C
    real4 sum = {};
    if (is_mine)
        for (int share = first + threadIdx.y; share <= last; share += blockDim.y)
            sum = plus(sum, *(const real4 *)&sums[(share + shared) * T::M * T::N + at]);
    added[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    __syncthreads(); // all have added theirs
    if (threadIdx.y > 0 || !is_mine)
        return;
    for (unsigned n = 1; n < blockDim.y; n++)
        sum = plus(sum, added[n * blockDim.x + threadIdx.x]);
    for (int v = 0; v < 4 && j + v < N; v++)
        C[i * N + j + v] = sum.at[v];
}

// Four elements of a matrix (rows x cols, row-major) from `row`, `col` on; those outside it are 0.
static __device__ real4 fetch(const real *matrix, int rows, int cols, int row, int col)
{
    real4 vector = {};
    if (row >= rows || col >= cols)
        return vector;
    const real *p = &matrix[row * cols + col];
    for (size_t n = 0; cols % 4 == 0 && n < sizeof vector; n += 16) {
        const float4 part = __ldcs((const float4 *)p + n / 16); // evict-first: read once
        memcpy((char *)&vector + n, &part, 16);
    }
    for (int v = 0; cols % 4 != 0 && v < 4; v++)
        if (col + v < cols)
            vector.at[v] = p[v];
    return vector;
}

// A block for FEW_VECTORS vectors of columns, M <= ROWS. The threads of a group have one each.
template <int ROWS>
__global__ void __launch_bounds__(FEW_THREADS)
    multiply_few(int M, int N, int K, const real *A, const real *B, real *C)
{
    __shared__ real4 sums[ROWS][FEW_GROUPS][FEW_VECTORS];
    const int x = threadIdx.x % FEW_VECTORS, group = threadIdx.x / FEW_VECTORS;
    const int j = (blockIdx.x * FEW_VECTORS + x) * 4; // the first of its columns
    real4 sum[ROWS] = {};
    for (int k0 = group * IN_FLIGHT; k0 < K; k0 += FEW_GROUPS * IN_FLIGHT) {
        real4 b[IN_FLIGHT]; // all are on their way before the first is there
        for (int k = 0; k < IN_FLIGHT; k++)
            b[k] = fetch(B, K, N, k0 + k, j);
        for (int k = 0; k < IN_FLIGHT; k++)
            for (int r = 0; r < ROWS; r++) {
                const real a = A[min(r, M - 1) * K + min(k0 + k, K - 1)];
                for (int v = 0; v < 4; v++)
                    sum[r].at[v] += a * b[k].at[v];
            }
    }
    for (int r = 0; r < ROWS; r++)
        sums[r][group][x] = sum[r];
    for (int half = FEW_GROUPS / 2; half > 0; half /= 2) { // the same order each time
        __syncthreads();                                   // what is added is there
        for (int r = 0; group < half && r < ROWS; r++)
            sums[r][group][x] = plus(sums[r][group][x], sums[r][group + half][x]);
    }
    for (int r = 0; group == 0 && r < min(ROWS, M); r++)
        for (int v = 0; v < 4 && j + v < N; v++)
            C[r * N + j + v] = sums[r][0][x].at[v];
}

// How many blocks run at the same time.
template <class T> static int resident_blocks(void)
{
    struct cudaDeviceProp device;
    int number, of_one;
    CHECK(cudaGetDevice(&number));
    CHECK(cudaGetDeviceProperties(&device, number));
    if (device.sharedMemPerBlockOptin < T::BYTES)
        exit_with(EXIT_SKIPPED,
                  "skipped: a block needs %d KiB of shared memory, and has %d here: STAGES=2",
                  T::BYTES / 1024, (int)(device.sharedMemPerBlockOptin / 1024));
    CHECK(cudaFuncSetAttribute(multiply<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, T::BYTES));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, multiply<T>, THREADS, T::BYTES));
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

template <class T> static void launch(int M, int N, int K, const real *A, const real *B, real *C)
{
    if constexpr (T::half::FITS)
        if (M <= T::half::M)
            return launch<typename T::half>(M, N, K, A, B, C);
    static int blocks; // that run at the same time
    static real *sums; // room for all their parts of tiles
    if (sums == NULL) {
        blocks = BLOCKS > 0 ? BLOCKS : resident_blocks<T>();
        sums = create_workspace((size_t)2 * blocks * T::M * T::N);
    }
    const int tiles = ceil_div(M, T::M) * ceil_div(N, T::N);
    const int full = tiles / blocks * blocks, shared = tiles - full;
    const int most = shared * ceil_div(K, TILE_K) / MIN_ITERATIONS;
    const int shares = max(shared, min(blocks, most));
    multiply<T><<<full + shares, THREADS, T::BYTES>>>(M, N, K, full, shares, A, B, C, sums);
    if (shares > shared) {
        unsigned adders = 1; // of a vector, four to eight parts each
        while (adders < 32 && 8 * adders <= (unsigned)(shares / shared))
            adders *= 2;
        add<T><<<ceil_div(shared * T::M * T::N / 4, ADDERS / adders),
                 dim3(ADDERS / adders, adders)>>>(M, N, K, full, shares, sums, C);
    }
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int blocks = ceil_div(N, FEW_VECTORS * 4);
    if (M == 1)
        multiply_few<1><<<blocks, FEW_THREADS>>>(M, N, K, A, B, C);
    else if (M <= FEW)
        multiply_few<FEW><<<blocks, FEW_THREADS>>>(M, N, K, A, B, C);
    else
        launch<shape<ROWS_PER_THREAD, WARPS_Y>>(M, N, K, A, B, C);
}
