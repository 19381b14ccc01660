// SPDX-License-Identifier: MIT
// Ways to write lab 05, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes: each product loads its operands, and the compiler keeps them
// 2 yes: one vector of four neighbouring columns
// 3 yes COLS_PER_ITEM=2: two sums with names
// 4 yes COLS_PER_ITEM=8: pointers that step through A and B
// 5 yes: neighbouring columns, each tested for the edge in the inner loop
// 6 yes: A by vload4, four k in an iteration
// 7 yes COLS_PER_ITEM=3: k outside, a function for each column
// 8 yes COLS_PER_ITEM=16: the next element of A is loaded before this one is used
// 9 no: the sums are in C itself, which is loaded for each product
// 10 no: lab 04's kernel in a loop over the columns
// 11 no: the same, A by vload4
// 12 no COLS_PER_ITEM=1: one column
#include "params.h"
#define COLS COLS_PER_ITEM
#define EACH(n, count) for (int n = 0; n < count; n++)

#if WAY == 7
static void add(int c, real a, real *sum, __global const real *b)
{
    sum[c] += a * b[c * GROUP_X];
}
#endif

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_group_id(0) * TILE_N + get_local_id(0), row = get_global_id(1);
    const int first = get_global_id(0) * COLS; // of neighbouring columns
    real sum[COLS] = {0};
    if (row >= M)
        return;
#if WAY == 1
    for (int k = 0; k < K; k++)
        EACH(c, COLS) sum[c] += A[row * K + k] * B[k * N + col + c * GROUP_X];
#elif WAY == 2
    float4 four = (float4)(0);
    for (int k = 0; k < K; k++)
        four += A[row * K + k] * vload4(0, &B[k * N + first]);
    vstore4(four, 0, &C[row * N + first]);
#elif WAY == 3
    real left = 0, right = 0;
    for (int k = 0; k < K; k++) {
        left += A[row * K + k] * B[k * N + col];
        right += A[row * K + k] * B[k * N + col + GROUP_X];
    }
    sum[0] = left, sum[1] = right;
#elif WAY == 4
    __global const real *a = A + row * K, *b = B + col;
    for (int k = 0; k < K; k++, a++, b += N)
        EACH(c, COLS) sum[c] += *a * b[c * GROUP_X];
#elif WAY == 5
    for (int k = 0; k < K; k++) {
        const real a = A[row * K + k];
        EACH(c, COLS) if (first + c < N) sum[c] += a * B[k * N + first + c];
    }
    EACH(c, COLS) if (first + c < N) C[row * N + first + c] = sum[c];
#elif WAY == 6
    for (int k = 0; k < K; k += 4) {
        const float4 a = vload4(0, &A[row * K + k]);
        EACH(c, COLS)
        {
            __global const real *b = &B[k * N + col + c * GROUP_X];
            sum[c] += a.x * b[0] + a.y * b[N] + a.z * b[2 * N] + a.w * b[3 * N];
        }
    }
#elif WAY == 7
    for (int k = 0; k < K; k++)
        EACH(c, COLS) add(c, A[row * K + k], sum, &B[k * N + col]);
#elif WAY == 8
    real a = A[row * K];
    for (int k = 0; k < K; k++) {
        const real next = k + 1 < K ? A[row * K + k + 1] : 0;
        EACH(c, COLS) sum[c] = fma(a, B[k * N + col + c * GROUP_X], sum[c]);
        a = next;
    }
#elif WAY == 9
    EACH(c, COLS) C[row * N + col + c * GROUP_X] = 0;
    for (int k = 0; k < K; k++) {
        const real a = A[row * K + k];
        EACH(c, COLS) C[row * N + col + c * GROUP_X] += a * B[k * N + col + c * GROUP_X];
    }
#elif WAY == 10 || WAY == 12
    EACH(c, COLS)
    {
        real one = 0;
        for (int k = 0; k < K; k++)
            one += A[row * K + k] * B[k * N + col + c * GROUP_X];
        C[row * N + col + c * GROUP_X] = one;
    }
#elif WAY == 11
    for (int c = 0; c < COLS; c++) {
        __global const real *b = &B[col + c * GROUP_X];
        for (int k = 0; k < K; k += 4, b += 4 * N) {
            const float4 a = vload4(0, &A[row * K + k]);
            sum[c] += a.x * b[0] + a.y * b[N] + a.z * b[2 * N] + a.w * b[3 * N];
        }
    }
#endif
#if WAY != 2 && WAY != 5 && WAY != 9 && WAY != 10 && WAY != 12
    EACH(c, COLS) C[row * N + col + c * GROUP_X] = sum[c];
#endif
}
