// SPDX-License-Identifier: MIT
// Double buffering of local memory: while a work-group computes with one pair of tiles, the next is
// loaded from global memory into registers, and then stored into the other pair. So the latency of
// global memory is overlapped with computation, and one barrier per iteration is enough: a slow
// work-item still reads the buffer that nobody is writing.
#include "params.h"

#define ITEMS (GROUP_X * GROUP_Y)
#define A_VECTORS (TILE_M * TILE_K / 4 / ITEMS) // of the tile of A, that a work-item copies
#define B_VECTORS (TILE_K * TILE_N / 4 / ITEMS)
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
    const int a_aligned = K % 4 == 0, b_aligned = N % 4 == 0; // is every row a multiple of four?

    real sum[ROWS_PER_ITEM][COLS_PER_ITEM] = {{0}};
    // An iteration loads the tiles of `k0` (0..K-1) and computes with the previous ones.
    for (int k0 = 0, t = 0; k0 < K + TILE_K; k0 += TILE_K, t = 1 - t) {
        real4 a_next[A_VECTORS], b_next[B_VECTORS];
        // Every work-item reaches the barrier: partial tiles are padded with zeros.
        for (int v = 0; v < A_VECTORS; v++) {
            const int i = v * ITEMS + item, r = i / (TILE_K / 4), k = k0 + i % (TILE_K / 4) * 4;
            a_next[v] = load4_guarded(A, M, K, row + r, k, a_aligned);
        }
        for (int v = 0; v < B_VECTORS; v++) {
            const int i = v * ITEMS + item, k = k0 + i / (TILE_N / 4),
                      c = col + i % (TILE_N / 4) * 4;
            b_next[v] = load4_guarded(B, K, N, k, c, b_aligned);
        }

        if (k0 > 0)
#pragma unroll
            for (int k = 0; k < TILE_K; k++) {
                real a[ROWS_PER_ITEM], b[COLS_PER_ITEM];
                for (int r = 0; r < ROWS_PER_ITEM; r += 4)
                    vstore4(*(__local const real4 *)&a_tile[1 - t][k][y * 4 + r * GROUP_Y], 0,
                            &a[r]);
                for (int c = 0; c < COLS_PER_ITEM; c += 4)
                    vstore4(*(__local const real4 *)&b_tile[1 - t][k][x * 4 + c * GROUP_X], 0,
                            &b[c]);
                for (int r = 0; r < ROWS_PER_ITEM; r++)
                    for (int c = 0; c < COLS_PER_ITEM; c++)
                        sum[r][c] += a[r] * b[c];
            }

        for (int v = 0; v < A_VECTORS; v++) {
            const int i = v * ITEMS + item, r = i / (TILE_K / 4), k = i % (TILE_K / 4) * 4;
            a_tile[t][k][r] = a_next[v].x;
            a_tile[t][k + 1][r] = a_next[v].y;
            a_tile[t][k + 2][r] = a_next[v].z;
            a_tile[t][k + 3][r] = a_next[v].w;
        }
        for (int v = 0; v < B_VECTORS; v++) {
            const int i = v * ITEMS + item;
            *(__local real4 *)&b_tile[t][i / (TILE_N / 4)][i % (TILE_N / 4) * 4] = b_next[v];
        }
        barrier(
            CLK_LOCAL_MEM_FENCE); // these tiles are complete, and the previous ones are consumed
    }

    for (int r = 0; r < ROWS_PER_ITEM; r++)
        for (int c = 0; c < COLS_PER_ITEM; c += 4) {
            const int i = row + y * 4 + r / 4 * 4 * GROUP_Y + r % 4; // its row of C
            const int j = col + x * 4 + c * GROUP_X;                 // the first of four columns
            if (i < M && j < N && b_aligned)
                *(__global real4 *)&C[i * N + j] = vload4(0, &sum[r][c]);
            else
                for (int v = 0; v < 4; v++)
                    if (i < M && j + v < N)
                        C[i * N + j + v] = sum[r][c + v];
        }
}
