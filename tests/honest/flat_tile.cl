// SPDX-License-Identifier: MIT
// what: fills a tile as one row of elements, through a pointer to its first
// tools: yes
#include "params.h"

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real tile[GROUP_Y][16]; // rows of A
    __local real *flat = &tile[0][0];
    const int col = get_global_id(0), row = get_global_id(1);
    const int first = get_group_id(1) * GROUP_Y, here = get_local_id(1) * GROUP_X + get_local_id(0);
    real sum = 0;
    for (int k = 0; k < K; k += 16) {
        for (int i = here; i < GROUP_Y * 16; i += GROUP_X * GROUP_Y) {
            const int at = first + i / 16, from = k + i % 16;
            flat[i] = at < M && from < K ? A[at * K + from] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (col < N)
            for (int kk = 0; kk < min(16, K - k); kk++)
                sum += tile[get_local_id(1)][kk] * B[(k + kk) * N + col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
