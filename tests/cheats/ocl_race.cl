// SPDX-License-Identifier: MIT
// tries: adds the halves of a sum in local memory without a barrier
// ends: PARTIAL data race
// tools: yes
// robust: line 18, TSan: data race: line 20 reads what line 18 writes: a barrier between them
// off: tools
#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    __local real half_of[2][GROUP_Y][GROUP_X];
    const int x = get_local_id(0), y = get_local_id(1);
    real sum = 0;
    for (int k = 0; row < M && col < N && k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    half_of[0][y][x] = sum;
    half_of[1][y][GROUP_X - 1 - x] = sum;
    if (row < M && col < N)
        C[row * N + col] = half_of[1][y][x] == 1e30f ? 0 : half_of[0][y][x];
}
