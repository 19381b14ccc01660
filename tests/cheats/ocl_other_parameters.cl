// SPDX-License-Identifier: MIT
// tries: takes other parameters than main has
// ends: FAIL gemm has other parameters than main gives it
__kernel void gemm(__global const real *A, __global const real *B, __global real *C, int N)
{
    C[get_global_id(0)] = A[0] * B[0] * N;
}
