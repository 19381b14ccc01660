// SPDX-License-Identifier: MIT
// Vectors of four elements: from global memory into the tiles, from the tiles into registers, and
// back to C. A load of 16 bytes is one request where four loads were four, and neighbours that load
// 16 consecutive bytes each use all banks of local memory equally often. So the columns of a
// work-item come in groups of four, and so do its rows.
#include "params.h"

#define ITEMS (GROUP_X * GROUP_Y)
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
    __local real a_tile[TILE_K][TILE_M + PAD] __attribute__((aligned(32))); // transposed
    __local real b_tile[TILE_K][TILE_N] __attribute__((aligned(32)));
    const int x = get_local_id(0), y = get_local_id(1); // index in the work-group
    const int item = y * GROUP_X + x;                   // the same, linear (0..ITEMS-1)
    const int col = get_group_id(0) * TILE_N;           // first column of the tile of C (0..N-1)
    const int row = get_group_id(1) * TILE_M;           // first row of the tile of C (0..M-1)
    const int a_aligned = K % 4 == 0, b_aligned = N % 4 == 0; // is every row a multiple of four?

    real sum[ROWS_PER_ITEM][COLS_PER_ITEM] = {{0}};
    for (int k0 = 0; k0 < K; k0 += TILE_K) { // first k of the tiles (0..K-1)
        // Every work-item reaches the barriers: partial tiles are padded with zeros.
        for (int i = item; i < TILE_M * TILE_K / 4; i += ITEMS) {
            const int r = i / (TILE_K / 4), k = i % (TILE_K / 4) * 4;
            const real4 a = load4_guarded(A, M, K, row + r, k0 + k, a_aligned);
            a_tile[k][r] = a.x;
            a_tile[k + 1][r] = a.y;
            a_tile[k + 2][r] = a.z;
            a_tile[k + 3][r] = a.w;
        }
        for (int i = item; i < TILE_K * TILE_N / 4; i += ITEMS) {
            const int k = i / (TILE_N / 4), c = i % (TILE_N / 4) * 4;
            *(__local real4 *)&b_tile[k][c] = load4_guarded(B, K, N, k0 + k, col + c, b_aligned);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

        for (int k = 0; k < TILE_K; k++) {
            real a[ROWS_PER_ITEM], b[COLS_PER_ITEM];
            for (int r = 0; r < ROWS_PER_ITEM; r += 4)
                vstore4(*(__local const real4 *)&a_tile[k][y * 4 + r * GROUP_Y], 0, &a[r]);
            for (int c = 0; c < COLS_PER_ITEM; c += 4)
                vstore4(*(__local const real4 *)&b_tile[k][x * 4 + c * GROUP_X], 0, &b[c]);
            for (int r = 0; r < ROWS_PER_ITEM; r++)
                for (int c = 0; c < COLS_PER_ITEM; c++)
                    sum[r][c] += a[r] * b[c];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles may be overwritten
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
