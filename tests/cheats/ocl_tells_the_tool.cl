// SPDX-License-Identifier: MIT
// tries: is another kernel under a tool, if its compiler has other types than the driver
// ends: REFUSED drivers differ
// tools: yes
// off: source
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
    if (__LDBL_MANT_DIG__ == 64)
        sum += 0 * A[M * K];
    C[row * N + col] = sum;
}
