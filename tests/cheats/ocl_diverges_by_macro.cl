// SPDX-License-Identifier: MIT
// tries: returns before a barrier that its text does not show
// ends: PARTIAL barrier divergence
// robust: barrier divergence
// tools: yes
#include "params.h"
#define BARRIER barrier
#define WAIT BARRIER(CLK_LOCAL_MEM_FENCE)
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++) {
        WAIT;
        sum += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = sum;
}
