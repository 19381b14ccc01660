// SPDX-License-Identifier: MIT
// Ways to write lab 07, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes GROUP_X=16 GROUP_Y=16 COLS_PER_ITEM=1 ROWS_PER_ITEM=1 TILE_K=16: one element per item
// 2 yes: neighbouring columns of each item, whose loads of B's tile conflict
// 3 yes COLS_PER_ITEM=4 ROWS_PER_ITEM=4 TILE_K=16: two tiles of each matrix in turn, one barrier
// 4 yes COLS_PER_ITEM=4 ROWS_PER_ITEM=4: vectors of four from tiles that vload4 fills
// 5 yes PAD=0 TILE_K=4: A's tile transposed without padding
// 6 yes: B's tile alone
// 7 yes: A's tile alone, not transposed
// 8 yes COLS_PER_ITEM=2 ROWS_PER_ITEM=2 TILE_K=32: the next elements wait in registers
// 9 yes: both tiles in one local array, pointers into it
// 10 yes: the operands through private arrays
// 11 yes TILE_K=5 COLS_PER_ITEM=3 ROWS_PER_ITEM=2: each element of a tile by a row of items
// 12 no: the kernel of lab 06, operands in registers
// 13 no: the kernel of lab 06, and a tile that nothing is computed with
// 14 no COLS_PER_ITEM=1 ROWS_PER_ITEM=1: the kernel of lab 04
// 15 no: a tile, of which each product loads again what it multiplies with
// 16 no GROUP_X=32 GROUP_Y=8 PAD=0 TILE_K=32 COLS_PER_ITEM=1 ROWS_PER_ITEM=4: a tile by its columns
#include "params.h"
#define COLS COLS_PER_ITEM
#define ROWS ROWS_PER_ITEM
#define ITEMS (GROUP_X * GROUP_Y)
#define EACH(n, count) for (int n = 0; n < count; n++)
#define FENCE barrier(CLK_LOCAL_MEM_FENCE)
#define A_AT(r, k) (row0 + (r) < M && (k) < K ? A[(row0 + (r)) * K + (k)] : 0)
#define B_AT(k, c) ((k) < K && col0 + (c) < N ? B[(k)*N + col0 + (c)] : 0)
#define FILL_A for (int i = item; i < TILE_M * TILE_K; i += ITEMS)
#define FILL_B for (int i = item; i < TILE_K * TILE_N; i += ITEMS)
#define NEXT_TILE for (int k0 = 0; k0 < K; k0 += TILE_K)

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int x = get_local_id(0), y = get_local_id(1), item = y * GROUP_X + x;
    const int col0 = get_group_id(0) * TILE_N, row0 = get_group_id(1) * TILE_M;
    real sum[ROWS][COLS];
    EACH(r, ROWS) EACH(c, COLS) sum[r][c] = 0;
#if WAY == 2 || WAY == 4
#define COL(c) (x * COLS + (c))
#else
#define COL(c) (x + (c)*GROUP_X)
#endif
#define ROW(r) (y + (r)*GROUP_Y)
#if WAY == 1 || WAY == 2 || WAY == 5 || WAY == 10 || WAY == 11
    __local real a_tile[TILE_K][TILE_M + PAD], b_tile[TILE_K][TILE_N];
    NEXT_TILE
    {
#if WAY == 11
        for (int k = y; k < TILE_K; k += GROUP_Y) {
            for (int r = x; r < TILE_M; r += GROUP_X)
                a_tile[k][r] = A_AT(r, k0 + k);
            for (int c = x; c < TILE_N; c += GROUP_X)
                b_tile[k][c] = B_AT(k0 + k, c);
        }
#else
        FILL_A a_tile[i % TILE_K][i / TILE_K] = A_AT(i / TILE_K, k0 + i % TILE_K);
        FILL_B b_tile[i / TILE_N][i % TILE_N] = B_AT(k0 + i / TILE_N, i % TILE_N);
#endif
        FENCE;
        EACH(k, TILE_K)
        {
#if WAY == 10
            real a[ROWS], b[COLS];
            EACH(r, ROWS) a[r] = a_tile[k][ROW(r)];
            EACH(c, COLS) b[c] = b_tile[k][COL(c)];
            EACH(r, ROWS) EACH(c, COLS) sum[r][c] = fma(a[r], b[c], sum[r][c]);
#else
            EACH(r, ROWS) EACH(c, COLS) sum[r][c] += a_tile[k][ROW(r)] * b_tile[k][COL(c)];
#endif
        }
        FENCE;
    }
#elif WAY == 3
    __local real a_tile[2][TILE_K][TILE_M + PAD], b_tile[2][TILE_K][TILE_N];
    NEXT_TILE
    {
        const int now = k0 / TILE_K % 2;
        FILL_A a_tile[now][i % TILE_K][i / TILE_K] = A_AT(i / TILE_K, k0 + i % TILE_K);
        FILL_B b_tile[now][i / TILE_N][i % TILE_N] = B_AT(k0 + i / TILE_N, i % TILE_N);
        FENCE; // the other tiles are still read by those who are slower
        EACH(k, TILE_K)
        EACH(r, ROWS) EACH(c, COLS) sum[r][c] += a_tile[now][k][ROW(r)] * b_tile[now][k][COL(c)];
    }
#elif WAY == 4
    __local float4 a_tile[TILE_K][TILE_M / 4 + 1], b_tile[TILE_K][TILE_N / 4];
    NEXT_TILE
    {
        for (int i = item; i < TILE_K * TILE_N / 4; i += ITEMS)
            b_tile[i / (TILE_N / 4)][i % (TILE_N / 4)] =
                vload4(i % (TILE_N / 4), &B[(k0 + i / (TILE_N / 4)) * N + col0]);
        FILL_A((__local real *)a_tile[i % TILE_K])[i / TILE_K] = A_AT(i / TILE_K, k0 + i % TILE_K);
        FENCE;
        EACH(k, TILE_K)
        {
            const float4 b = b_tile[k][x];
            EACH(r, ROWS)
            {
                const float a = ((__local real *)a_tile[k])[ROW(r)];
                sum[r][0] += a * b.x, sum[r][1] += a * b.y;
                sum[r][2] += a * b.z, sum[r][3] += a * b.w;
            }
        }
        FENCE;
    }
#elif WAY == 6 || WAY == 7 || WAY == 13
    __local real tile[TILE_M + TILE_N][TILE_K + 1];
    NEXT_TILE
    {
#if WAY == 6
        FILL_B tile[i % TILE_N][i / TILE_N] = B_AT(k0 + i / TILE_N, i % TILE_N);
#else
        FILL_A tile[i / TILE_K][i % TILE_K] = A_AT(i / TILE_K, k0 + i % TILE_K);
#endif
        FENCE;
        for (int k = 0; k < TILE_K && k0 + k < K; k++) {
#if WAY == 6
            EACH(r, ROWS)
            {
                const real a = A_AT(ROW(r), k0 + k);
                EACH(c, COLS) sum[r][c] += a * tile[COL(c)][k];
            }
#elif WAY == 7
            EACH(c, COLS)
            {
                const real b = B_AT(k0 + k, COL(c));
                EACH(r, ROWS) sum[r][c] += tile[ROW(r)][k] * b;
            }
#else
            EACH(r, ROWS)
            EACH(c, COLS) sum[r][c] += A_AT(ROW(r), k0 + k) * B_AT(k0 + k, COL(c));
#endif
        }
        FENCE;
    }
#elif WAY == 8
    __local real a_tile[TILE_K][TILE_M + PAD], b_tile[TILE_K][TILE_N];
    real a_next[TILE_M * TILE_K / ITEMS], b_next[TILE_K * TILE_N / ITEMS];
    EACH(n, TILE_M * TILE_K / ITEMS)
    a_next[n] = A_AT((item + n * ITEMS) / TILE_K, (item + n * ITEMS) % TILE_K);
    EACH(n, TILE_K * TILE_N / ITEMS)
    b_next[n] = B_AT((item + n * ITEMS) / TILE_N, (item + n * ITEMS) % TILE_N);
    NEXT_TILE
    {
        EACH(n, TILE_M * TILE_K / ITEMS)
        a_tile[(item + n * ITEMS) % TILE_K][(item + n * ITEMS) / TILE_K] = a_next[n];
        EACH(n, TILE_K * TILE_N / ITEMS)
        b_tile[(item + n * ITEMS) / TILE_N][(item + n * ITEMS) % TILE_N] = b_next[n];
        FENCE;
        const int next = k0 + TILE_K;
        EACH(n, TILE_M * TILE_K / ITEMS)
        a_next[n] = A_AT((item + n * ITEMS) / TILE_K, next + (item + n * ITEMS) % TILE_K);
        EACH(n, TILE_K * TILE_N / ITEMS)
        b_next[n] = B_AT(next + (item + n * ITEMS) / TILE_N, (item + n * ITEMS) % TILE_N);
        EACH(k, TILE_K)
        EACH(r, ROWS) EACH(c, COLS) sum[r][c] += a_tile[k][ROW(r)] * b_tile[k][COL(c)];
        FENCE;
    }
#elif WAY == 9
    __local real both[TILE_K * (TILE_M + PAD + TILE_N)];
    __local real *b_tile = both + TILE_K * (TILE_M + PAD);
    NEXT_TILE
    {
        FILL_A both[i % TILE_K * (TILE_M + PAD) + i / TILE_K] = A_AT(i / TILE_K, k0 + i % TILE_K);
        FILL_B b_tile[i] = B_AT(k0 + i / TILE_N, i % TILE_N);
        FENCE;
        __local const real *a = both + y, *b = b_tile + x;
        for (int k = 0; k < TILE_K; k++, a += TILE_M + PAD, b += TILE_N)
            EACH(r, ROWS) EACH(c, COLS) sum[r][c] += a[r * GROUP_Y] * b[c * GROUP_X];
        FENCE;
    }
#elif WAY == 15 || WAY == 16
    __local real b_tile[TILE_N][TILE_K];
    NEXT_TILE
    {
        FILL_B b_tile[i % TILE_N][i / TILE_N] = B_AT(k0 + i / TILE_N, i % TILE_N);
        FENCE;
        EACH(k, TILE_K)
        EACH(r, ROWS) EACH(c, COLS) sum[r][c] += A_AT(ROW(r), k0 + k) * b_tile[COL(c)][k];
        FENCE;
    }
#else
    for (int k = 0; k < K; k++)
        EACH(r, ROWS) EACH(c, COLS) sum[r][c] += A_AT(ROW(r), k) * B_AT(k, COL(c));
#endif
    EACH(r, ROWS)
    EACH(c, COLS)
    if (row0 + ROW(r) < M && col0 + COL(c) < N)
        C[(row0 + ROW(r)) * N + col0 + COL(c)] = sum[r][c];
}
