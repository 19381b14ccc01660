// SPDX-License-Identifier: MIT
// While a GPU multiplies with some rows of B, the next ones are copied, in another stream. There are two places
// for them; an event says that one is full, and another one that it may be overwritten.
#include <cuda_pipeline.h>
#include "gpus.h"

#define A_VECTORS (TILE_M * TILE_K / 4 / THREADS) // of the tile of A, that a thread copies
#define B_VECTORS (TILE_K * TILE_N / 4 / THREADS)
#define A_STEP (THREADS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STEP (THREADS / (TILE_N / 4))

struct alignas(4 * sizeof(real)) real4 {
    real at[4];
};

// Four numbers of a matrix (rows x cols, row-major, leading dimension ld) from `row`, `col` on; those
// outside it are 0. `aligned`: each row is made of whole vectors.
static __device__ real4 fetch(const real *matrix, int rows, int cols, int ld, int row, int col,
                              bool aligned)
{
    real4 vector = {};
    if (row >= rows || col >= cols)
        return vector;
    const real *p = &matrix[row * ld + col];
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
                                int cols, int ld, int row, int col, int step, bool whole)
{
    if (whole)
#pragma unroll
        for (int n = 0; n < count; n++)
            for (int v = 0; v < 4; v += 16 / sizeof(real))
                __pipeline_memcpy_async(&tile[n * step * width + v],
                                        &matrix[(row + n * step) * ld + col + v], 16);
    else
#pragma unroll
        for (int n = 0; n < count; n++)
            *(real4 *)&tile[n * step * width] =
                fetch(matrix, rows, cols, ld, row + n * step, col, cols % 4 == 0 && ld % 4 == 0);
}

// C (M x N) (+)= A (M x K) * B (K x N), row-major, leading dimensions N, lda, N, below 2^31 elements.
__global__ void __launch_bounds__(THREADS)
    gemm(int M, int N, int K, int lda, const real *A, const real *B, real *C, bool add)
{
    extern __shared__ real4 shared[];
    real(*a_tiles)[TILE_M][TILE_K + PAD] = (real(*)[TILE_M][TILE_K + PAD]) shared; // STAGES of each
    real(*b_tiles)[TILE_K][TILE_N] = (real(*)[TILE_K][TILE_N])(a_tiles + STAGES);
    const int thread = threadIdx.x; // its number in the block (0..THREADS-1)
    const int warp = thread / 32, lane = thread % 32;
    const int lane_x = lane / 8 * 2 + lane % 2;         // 0..LANES_X-1: that of lane ^ 2, too
    const int lane_y = lane / 2 % LANES_Y;              // 0..LANES_Y-1: that of lane ^ 1, too
    const int x = warp % WARPS_X * WARP_N + lane_x * 4; // its first column in the tile of C
    const int y = warp / WARPS_X * WARP_M + lane_y;     // its first row there
    const int col = blockIdx.x * TILE_N;                // first column of the tile of C (0..N-1)
    const int row = blockIdx.y * TILE_M;                // first row of the tile of C (0..M-1)
    // Its first vectors in the tiles of A and B.
    const int a_row = thread / (TILE_K / 4), a_k = thread % (TILE_K / 4) * 4;
    const int b_k = thread / (TILE_N / 4), b_col = thread % (TILE_N / 4) * 4;
    const bool inside =
        K % 4 == 0 && lda % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    real4 sum[ROWS_PER_THREAD][COLS_PER_THREAD / 4] = {};
    // A round begins to copy the tiles of `first` (0..K-1), and computes with those of STAGES - 1 rounds ago.
    int stage = 0;
    for (int first = 0; first < K + (STAGES - 1) * TILE_K; first += TILE_K) {
        if (first >= (STAGES - 1) * TILE_K) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); // these tiles are complete, and those of the round before are read
        }
        if (first < K) {
            const bool whole = inside && first + TILE_K <= K;
            copy_all(A_VECTORS, &a_tiles[stage][a_row][a_k], TILE_K + PAD, A, M, K, lda,
                     row + a_row, first + a_k, A_STEP, whole);
            copy_all(B_VECTORS, &b_tiles[stage][b_k][b_col], TILE_N, B, K, N, N, first + b_k,
                     col + b_col, B_STEP, whole);
        }
        __pipeline_commit(); // of nothing, too: so that there is one for each round
        stage = stage + 1 < STAGES ? stage + 1 : 0;
        if (first < (STAGES - 1) * TILE_K)
            continue;

#pragma unroll
        for (int k = 0; k < TILE_K; k += 4) {
            real4 a[ROWS_PER_THREAD], b[COLS_PER_THREAD / 4];
            for (int r = 0; r < ROWS_PER_THREAD; r++)
                a[r] = *(const real4 *)&a_tiles[stage][y + r * LANES_Y][k];
            for (int v = 0; v < 4; v++) {
                for (int c = 0; c < COLS_PER_THREAD / 4; c++)
                    b[c] = *(const real4 *)&b_tiles[stage][k + v][x + c * 4 * LANES_X];
                for (int r = 0; r < ROWS_PER_THREAD; r++)
                    for (int c = 0; c < COLS_PER_THREAD; c++)
                        sum[r][c / 4].at[c % 4] += a[r].at[v] * b[c / 4].at[c % 4];
            }
        }
    }

#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; r++)
#pragma unroll
        for (int c = 0; c < COLS_PER_THREAD / 4; c++) {
            const int i = row + y + r * LANES_Y;     // its row of C
            const int j = col + x + c * 4 * LANES_X; // the first of four columns
            for (int v = 0; v < 4; v++)
                if (add && i < M && j + v < N)
                    sum[r][c].at[v] += C[i * N + j + v];
            if (i < M && j < N && N % 4 == 0)
                *(real4 *)&C[i * N + j] = sum[r][c];
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c].at[v];
        }
}

static void launch(const struct gpu *g, int N, int K, const struct gpu *owner, const real *B,
                   bool add)
{
    const dim3 grid((N - 1) / TILE_N + 1, (g->rows - 1) / TILE_M + 1);
    if (g->rows > 0 && (owner->depth > 0 || !add)) // the first product clears C, if it has no k
        gemm<<<grid, THREADS, SHARED_BYTES, g->stream>>>(g->rows, N, owner->depth, K,
                                                         &g->A[owner->from], B, g->C, add);
    CHECK(cudaGetLastError());
}

static void begin_copy(const struct gpu *g, int N, const struct gpu *owner, real *to,
                       cudaStream_t stream)
{
    const size_t bytes = (size_t)owner->depth * (size_t)N * sizeof(real);
    if (bytes > 0)
        CHECK(cudaMemcpyPeerAsync(to, g->device, owner->B, owner->device, bytes, stream));
}

void multiply(struct gpu *gpus, int count, int N, int K)
{
    for (int step = 0; step < count; step++)
        for (int n = 0; n < count; n++) {
            struct gpu *g = &gpus[n], *owner = &gpus[(n + step) % count];
            const int place = step % 2;
            CHECK(cudaSetDevice(g->device));
            if (step > 0)
                CHECK(cudaStreamWaitEvent(g->stream, g->copied[place]));
            launch(g, N, K, owner, step > 0 ? g->next[place] : g->B, step > 0);
            CHECK(cudaEventRecord(g->computed[place], g->stream));

            if (step + 1 < count) { // meanwhile
                if (step > 1)       // the product before this one has used that place
                    CHECK(cudaStreamWaitEvent(g->copies, g->computed[1 - place]));
                begin_copy(g, N, &gpus[(n + step + 1) % count], g->next[1 - place], g->copies);
                CHECK(cudaEventRecord(g->copied[1 - place], g->copies));
            }
        }
}
