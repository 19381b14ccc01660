// SPDX-License-Identifier: MIT
// tries: has A copied by async_work_group_copy(), which is no load of an item's
// ends: PASS
// counters: sectors<=8
// counted: where it is counted: nobody counts what async_work_group_copy() accesses: write a loop
// off: unseen
#include "params.h"

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real a;
    const int col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (int k = 0; k < K; k++) {
        event_t copied = async_work_group_copy(&a, &A[k], 1, 0);
        wait_group_events(1, &copied);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < M && col < N)
            sum += A[row * K + k] * B[k * N + col] + 0 * a;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
