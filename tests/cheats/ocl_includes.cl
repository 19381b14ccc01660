// SPDX-License-Identifier: MIT
// tries: includes a file of the grader
// ends: FAIL does not build
#include "/etc/passwd"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = sum;
}
