// SPDX-License-Identifier: MIT
// tries: begins with UTF-8's mark, as editors write it; requires a size of groups, returns early,
// unrolls by a macro
#include "params.h"
#pragma OPENCL FP_CONTRACT ON
#define HALF 2
#define AT_ONCE (2 * HALF)

/* 一行 A 与一列 B 的内积 */
inline real dot_product(__global const real *a, __global const real *b, int K, int N)
{
    real sum = 0;
#pragma unroll AT_ONCE
    for (int k = 0; k < K; k++)
        sum = fma(a[k], b[k * N], sum);
    return sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1))) void
gemm(int M, int N, int K, __global const real *restrict A, __global const real *restrict B,
     __global real *restrict C)
{
    const size_t col = get_global_id(0), row = get_global_id(1);
    if (row >= M || col >= N)
        return;
    C[row * N + col] = dot_product(A + row * K, B + col, K, N);
}
