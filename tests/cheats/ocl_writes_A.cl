// SPDX-License-Identifier: MIT
// tries: writes to A, which it has read by then
// ends: FAIL writes to A
// tools: yes
// robust: ASan+UBSan: the kernel writes to A, which is to be read alone
#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (int k = 0; row < M && col < N && k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = sum;
    ((__global real *)A)[0] = 0;
}
