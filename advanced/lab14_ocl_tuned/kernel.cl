// SPDX-License-Identifier: MIT
// Register double buffering: the elements of the next k are loaded from local memory while those of
// this one are multiplied: a work-item holds both.
#include "params.h"

#define ITEMS (GROUP_X * GROUP_Y)
#define A_VECTORS (TILE_M * TILE_K / 4 / ITEMS) // of the tile of A, that a work-item copies
#define B_VECTORS (TILE_K * TILE_N / 4 / ITEMS)
#define A_STRIDE (ITEMS / (TILE_K / 4)) // rows of the tile from one of them to the next
#define B_STRIDE (ITEMS / (TILE_N / 4))
#define JOIN(a, b) a##b
#define VECTOR(type) JOIN(type, 4)
typedef VECTOR(real) real4;

// Four elements of a matrix (rows x cols, row-major) from `row`, `col` on; those outside it are 0.
// `aligned`: each row is a multiple of four long; else they are loaded one at a time.
static real4 load4_guarded(__global const real *matrix, int rows, int cols, int row, int col,
                           int aligned)
{
    if (row >= rows || col >= cols)
        return (real4)(0);
    __global const real *p = &matrix[row * cols + col];
    if (aligned)
        return *(__global const real4 *)p;
    const int left = cols - col;
    return (real4)(p[0], left > 1 ? p[1] : 0, left > 2 ? p[2] : 0, left > 3 ? p[3] : 0);
}

// Loads `count` vectors of a tile, `stride` rows apart, the first at `row`, `col`. `full_tile`: all
// of the tile is inside the matrix, and aligned; then `at` is the first one's offset: no bounds
// checks.
static void load_tile(int count, real4 *vectors, __global const real *matrix, int rows, int cols,
                      int row, int col, int stride, int full_tile, int at)
{
    if (full_tile)
#pragma unroll
        for (int v = 0; v < count; v++)
            vectors[v] = *(__global const real4 *)&matrix[at + v * stride * cols];
    else
#pragma unroll
        for (int v = 0; v < count; v++)
            vectors[v] = load4_guarded(matrix, rows, cols, row + v * stride, col, cols % 4 == 0);
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1))) void
gemm(int M, int N, int K, __global const real *A, __global const real *B, __global real *C)
{
    __local real a_tile[2][TILE_K][TILE_M + PAD] __attribute__((aligned(32))); // transposed
    __local real b_tile[2][TILE_K][TILE_N] __attribute__((aligned(32)));
    const int x = get_local_id(0), y = get_local_id(1); // index in the work-group
    const int item = y * GROUP_X + x;                   // the same, linear (0..ITEMS-1)
    const int col = get_group_id(0) * TILE_N;           // first column of the tile of C (0..N-1)
    const int row = get_group_id(1) * TILE_M;           // first row of the tile of C (0..M-1)
    const int a_row = item / (TILE_K / 4), a_k = item % (TILE_K / 4) * 4; // its first vectors in
    const int b_k = item / (TILE_N / 4), b_col = item % (TILE_N / 4) * 4; // the tiles of A and B
    const int interior = K % 4 == 0 && N % 4 == 0 && row + TILE_M <= M && col + TILE_N <= N;

    int a_at = interior ? (row + a_row) * K + a_k : 0, b_at = interior ? b_k * N + col + b_col : 0;

    real4 a_next[A_VECTORS], b_next[B_VECTORS];
    int full_tile = interior && TILE_K <= K;
    load_tile(A_VECTORS, a_next, A, M, K, row + a_row, a_k, A_STRIDE, full_tile, a_at);
    load_tile(B_VECTORS, b_next, B, K, N, b_k, col + b_col, B_STRIDE, full_tile, b_at);

    real sum[ROWS_PER_ITEM][COLS_PER_ITEM] = {{0}};
    for (int k0 = 0, t = 0; k0 < K; k0 += TILE_K, t = 1 - t) {
#pragma unroll
        for (int v = 0; v < A_VECTORS; v++) {
            const int r = a_row + v * A_STRIDE;
            a_tile[t][a_k][r] = a_next[v].x;
            a_tile[t][a_k + 1][r] = a_next[v].y;
            a_tile[t][a_k + 2][r] = a_next[v].z;
            a_tile[t][a_k + 3][r] = a_next[v].w;
        }
#pragma unroll
        for (int v = 0; v < B_VECTORS; v++)
            *(__local real4 *)&b_tile[t][b_k + v * B_STRIDE][b_col] = b_next[v];
        barrier(
            CLK_LOCAL_MEM_FENCE); // these tiles are complete, and the previous ones are consumed

        const int next = k0 + TILE_K; // 0..K-1, or there is nothing left to load
        if (next < K) {
            full_tile = interior && next + TILE_K <= K;
            a_at += TILE_K;
            b_at += TILE_K * N;
            load_tile(A_VECTORS, a_next, A, M, K, row + a_row, next + a_k, A_STRIDE, full_tile,
                      a_at);
            load_tile(B_VECTORS, b_next, B, K, N, next + b_k, col + b_col, B_STRIDE, full_tile,
                      b_at);
        }

        real4 a[2][ROWS_PER_ITEM / 4],
            b[2][COLS_PER_ITEM / 4]; // double buffered: of this k and of the next
#pragma unroll
        for (int k = -1; k < TILE_K; k++) {
            if (k + 1 < TILE_K) {
#pragma unroll
                for (int r = 0; r < ROWS_PER_ITEM / 4; r++)
                    a[(k + 1) % 2][r] =
                        *(__local const real4 *)&a_tile[t][k + 1][(r * GROUP_Y + y) * 4];
#pragma unroll
                for (int c = 0; c < COLS_PER_ITEM / 4; c++)
                    b[(k + 1) % 2][c] =
                        *(__local const real4 *)&b_tile[t][k + 1][(c * GROUP_X + x) * 4];
            }
            if (k >= 0)
#pragma unroll
                for (int r = 0; r < ROWS_PER_ITEM; r++)
#pragma unroll
                    for (int c = 0; c < COLS_PER_ITEM; c++)
                        sum[r][c] += ((real *)a[k % 2])[r] * ((real *)b[k % 2])[c];
        }
    }

#pragma unroll
    for (int r = 0; r < ROWS_PER_ITEM; r++)
#pragma unroll
        for (int c = 0; c < COLS_PER_ITEM; c += 4) {
            const int i = row + y * 4 + r / 4 * 4 * GROUP_Y + r % 4; // its row of C
            const int j = col + x * 4 + c * GROUP_X;                 // the first of four columns
            if (i < M && j < N && N % 4 == 0)
                *(__global real4 *)&C[i * N + j] = vload4(0, &sum[r][c]);
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c + v];
        }
}
