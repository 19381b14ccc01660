// SPDX-License-Identifier: MIT
// what: fills a tile as one row of elements, through a pointer to its first; of 40 KiB, which is
// more than most GPUs have
// tools: yes
#include "params.h"
#define DEPTH 640

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real tile[GROUP_Y][DEPTH]; // rows of A
    __local real *flat = &tile[0][0];
    const int col = get_global_id(0), row = get_global_id(1);
    const int first = get_group_id(1) * GROUP_Y, here = get_local_id(1) * GROUP_X + get_local_id(0);
    real sum = 0;
    for (int k = 0; k < K; k += DEPTH) {
        const int width = min(DEPTH, K - k);
        for (int i = here; i < GROUP_Y * width; i += GROUP_X * GROUP_Y) {
            const int at = first + i / width;
            flat[i] = at < M ? A[at * K + k + i % width] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (col < N)
            for (int kk = 0; kk < width; kk++)
                sum += flat[get_local_id(1) * width + kk] * B[(k + kk) * N + col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
