// SPDX-License-Identifier: MIT
// tries: has native code in it, whose name two macros make
// ends: REFUSED assembly
#define JOIN(a, b) a##b
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    JOIN(__as, m__)("nop");
    C[0] = A[0] + B[0] + M + N + K;
}
