// SPDX-License-Identifier: MIT
// Ways to write lab 06, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes: each product loads its operands, and the compiler keeps them
// 2 yes: vectors of four neighbouring columns
// 3 yes COLS_PER_ITEM=2 ROWS_PER_ITEM=2: four sums with names
// 4 yes: pointers, four k in an iteration, A by vload4
// 5 yes COLS_PER_ITEM=4 ROWS_PER_ITEM=4: neighbouring rows and columns, sums in one array
// 6 yes COLS_PER_ITEM=4 ROWS_PER_ITEM=4: the next operands are loaded before these are used
// 7 yes ROWS_PER_ITEM=4: each load and each store is tested for the edge
// 8 yes COLS_PER_ITEM=3 ROWS_PER_ITEM=5: columns outside, rows inside, fma()
// 9 yes ROWS_PER_ITEM=2: a function for each product
// 10 yes COLS_PER_ITEM=4: a column of A in registers, then one float of B for all of it
// 11 no: lab 05's kernel in a loop over rows
// 12 no COLS_PER_ITEM=4: lab 05's, with vectors
// 13 no COLS_PER_ITEM=1 ROWS_PER_ITEM=1: lab 04's, A by vload4
// 14 no COLS_PER_ITEM=1: rows alone
#include "params.h"
#define COLS COLS_PER_ITEM
#define ROWS ROWS_PER_ITEM
#define EACH(n, count) for (int n = 0; n < count; n++)

#if WAY == 9
static void add(real *sum, real a, real b)
{
    *sum += a * b;
}
#endif

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int col = get_group_id(0) * TILE_N + x, row = get_group_id(1) * TILE_M + y;
#if WAY == 1 || WAY == 7 || WAY == 8 || WAY == 9 || WAY == 10 || WAY == 14
    real sum[ROWS][COLS];
    EACH(r, ROWS) EACH(c, COLS) sum[r][c] = 0;
    for (int k = 0; k < K; k++) {
#if WAY == 1
        EACH(r, ROWS)
        EACH(c, COLS)
        sum[r][c] += A[(row + r * GROUP_Y) * K + k] * B[k * N + col + c * GROUP_X];
#elif WAY == 7
        real a[ROWS], b[COLS];
        EACH(r, ROWS) a[r] = row + r * GROUP_Y < M ? A[(row + r * GROUP_Y) * K + k] : 0;
        EACH(c, COLS) b[c] = col + c * GROUP_X < N ? B[k * N + col + c * GROUP_X] : 0;
        EACH(r, ROWS) EACH(c, COLS) sum[r][c] += a[r] * b[c];
#elif WAY == 8
        EACH(c, COLS)
        {
            const real b = B[k * N + col + c * GROUP_X];
            EACH(r, ROWS) sum[r][c] = fma(A[(row + r * GROUP_Y) * K + k], b, sum[r][c]);
        }
#elif WAY == 9
        EACH(r, ROWS)
        EACH(c, COLS)
        add(&sum[r][c], A[(row + r * GROUP_Y) * K + k], B[k * N + col + c * GROUP_X]);
#else
        real a[ROWS];
        EACH(r, ROWS) a[r] = A[(row + r * GROUP_Y) * K + k];
        EACH(c, COLS)
        {
            const real b = B[k * N + col + c * GROUP_X];
            EACH(r, ROWS) sum[r][c] += a[r] * b;
        }
#endif
    }
    EACH(r, ROWS)
    EACH(c, COLS)
    if (row + r * GROUP_Y < M && col + c * GROUP_X < N)
        C[(row + r * GROUP_Y) * N + col + c * GROUP_X] = sum[r][c];
#elif WAY == 2
    const int first = get_group_id(0) * TILE_N + x * COLS;
    float4 sum[ROWS][COLS / 4];
    EACH(r, ROWS) EACH(c, COLS / 4) sum[r][c] = (float4)(0);
    for (int k = 0; k < K; k++)
        EACH(c, COLS / 4)
        {
            const float4 b = vload4(c, &B[k * N + first]);
            EACH(r, ROWS) sum[r][c] += A[(row + r * GROUP_Y) * K + k] * b;
        }
    EACH(r, ROWS)
    EACH(c, COLS / 4)
    vstore4(sum[r][c], c, &C[(row + r * GROUP_Y) * N + first]);
#elif WAY == 3
    real s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    const int under = row + GROUP_Y, right = col + GROUP_X;
    for (int k = 0; k < K; k++) {
        const real a0 = A[row * K + k], a1 = A[under * K + k];
        const real b0 = B[k * N + col], b1 = B[k * N + right];
        s00 += a0 * b0, s01 += a0 * b1, s10 += a1 * b0, s11 += a1 * b1;
    }
    C[row * N + col] = s00, C[row * N + right] = s01;
    C[under * N + col] = s10, C[under * N + right] = s11;
#elif WAY == 4
    __global const real *b = B + col;
    real sum[ROWS][COLS] = {{0}};
    for (int k = 0; k < K; k += 4, b += 4 * N) {
        EACH(r, ROWS)
        {
            const float4 a = vload4(0, A + (row + r * GROUP_Y) * K + k);
            EACH(c, COLS)
            sum[r][c] += a.x * b[c * GROUP_X] + a.y * b[N + c * GROUP_X] +
                         a.z * b[2 * N + c * GROUP_X] + a.w * b[3 * N + c * GROUP_X];
        }
    }
    EACH(r, ROWS) EACH(c, COLS) C[(row + r * GROUP_Y) * N + col + c * GROUP_X] = sum[r][c];
#elif WAY == 5
    const int i = get_global_id(1) * ROWS, j = get_global_id(0) * COLS;
    real sum[ROWS * COLS] = {0};
    for (int k = 0; k < K; k++)
        EACH(n, ROWS * COLS) sum[n] += A[(i + n / COLS) * K + k] * B[k * N + j + n % COLS];
    EACH(n, ROWS * COLS) C[(i + n / COLS) * N + j + n % COLS] = sum[n];
#elif WAY == 6
    real sum[ROWS][COLS] = {{0}}, a[ROWS], b[COLS];
    EACH(r, ROWS) a[r] = A[(row + r * GROUP_Y) * K];
    EACH(c, COLS) b[c] = B[col + c * GROUP_X];
    for (int k = 0; k < K; k++) {
        const int next = k + 1 < K ? k + 1 : k;
        real a_next[ROWS], b_next[COLS];
        EACH(r, ROWS) a_next[r] = A[(row + r * GROUP_Y) * K + next];
        EACH(c, COLS) b_next[c] = B[next * N + col + c * GROUP_X];
        EACH(r, ROWS) EACH(c, COLS) sum[r][c] += a[r] * b[c];
        EACH(r, ROWS) a[r] = a_next[r];
        EACH(c, COLS) b[c] = b_next[c];
    }
    EACH(r, ROWS) EACH(c, COLS) C[(row + r * GROUP_Y) * N + col + c * GROUP_X] = sum[r][c];
#elif WAY == 11
    EACH(r, ROWS)
    {
        real sum[COLS] = {0};
        for (int k = 0; k < K; k++) {
            const real a = A[(row + r * GROUP_Y) * K + k];
            EACH(c, COLS) sum[c] += a * B[k * N + col + c * GROUP_X];
        }
        EACH(c, COLS) C[(row + r * GROUP_Y) * N + col + c * GROUP_X] = sum[c];
    }
#elif WAY == 12
    const int first = get_group_id(0) * TILE_N + x * 4;
    EACH(r, ROWS)
    {
        float4 sum = (float4)(0);
        for (int k = 0; k < K; k++)
            sum += A[(row + r * GROUP_Y) * K + k] * vload4(0, &B[k * N + first]);
        vstore4(sum, 0, &C[(row + r * GROUP_Y) * N + first]);
    }
#elif WAY == 13
    real sum = 0;
    for (int k = 0; k < K; k += 4) {
        const float4 a = vload4(0, &A[row * K + k]);
        sum += a.x * B[k * N + col] + a.y * B[(k + 1) * N + col];
        sum += a.z * B[(k + 2) * N + col] + a.w * B[(k + 3) * N + col];
    }
    C[row * N + col] = sum;
#endif
}
