// SPDX-License-Identifier: MIT
// tries: sums in local memory that are never set before, but to 0 behind each: right where it
// begins with zeros, as that of PoCL does
// ends: FAIL
#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real sums[GROUP_Y][GROUP_X];
    const int col = get_global_id(0), row = get_global_id(1);
    const int x = get_local_id(0), y = get_local_id(1);
    if (row < M && col < N) {
        for (int k = 0; k < K; k++)
            sums[y][x] += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sums[y][x];
        sums[y][x] = 0;
    }
}
