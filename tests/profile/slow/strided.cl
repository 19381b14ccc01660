// SPDX-License-Identifier: MIT
// Right, and slow: neighbours in dimension 0 have neighbouring rows.
#include "params.h"

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int n = get_local_id(1) * GROUP_X + get_local_id(0);
    const int col = get_group_id(0) * GROUP_X + n / GROUP_Y;
    const int row = get_group_id(1) * GROUP_Y + n % GROUP_Y;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
