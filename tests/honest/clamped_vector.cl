// SPDX-License-Identifier: MIT
// what: clamps a vector of columns by scalars
// tools: yes
#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    const int4 cols = clamp((int4)(col - 1, col, col + 1, col + 2), 0, N - 1);
    real sum = 0;
    for (int k = 0; row < M && k < K; k++)
        sum += A[row * K + k] * B[k * N + cols.y];
    if (row < M && col < N)
        C[row * N + col] = sum;
}
