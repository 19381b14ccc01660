// SPDX-License-Identifier: MIT
// what: prints every element
// tools: yes
#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
    printf("worker: C[%d][%d] = %f, of all that this work-item has to say\n", row, col, sum);
}
