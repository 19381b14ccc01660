// SPDX-License-Identifier: MIT
// tries: has a macro with arguments in a pragma, which a compiler expands and -E does not
// ends: REFUSED '#pragma unroll TIMES(2)': write a number there, or a macro without arguments
#include "params.h"
#define TIMES(n) (n * 2)

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (row >= M || col >= N)
        return;
    real sum = 0;
#pragma unroll TIMES(2)
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
