// SPDX-License-Identifier: MIT
// tries: returns before a barrier where there is nothing to compute; PoCL goes on, and stores it
// ends: PARTIAL kernel.cl: if (row >= M || col >= N) return; is before a barrier
#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = sum;
}
