// SPDX-License-Identifier: MIT
// what: four work-items share a sum, to which each adds its part by atomic_cmpxchg
// tools: yes
#include "params.h"

static void add_to(volatile __local float *sum, float part)
{
    union {
        float number;
        unsigned bits;
    } old, next;
    do {
        old.number = *sum;
        next.number = old.number + part;
    } while (atomic_cmpxchg((volatile __local unsigned *)sum, old.bits, next.bits) != old.bits);
}

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local float sums[GROUP_Y][GROUP_X / 4];
    const int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1);
    for (int first = 0; first < 4; first++) {
        const int at = first * (GROUP_X / 4) + x / 4, col = get_group_id(0) * GROUP_X + at;
        if (x % 4 == 0)
            sums[y][x / 4] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < M && col < N)
            for (int k = x % 4; k < K; k += 4)
                add_to(&sums[y][x / 4], A[row * K + k] * B[k * N + col]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x % 4 == 0 && row < M && col < N)
            C[row * N + col] = sums[y][x / 4];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
