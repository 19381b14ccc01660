// SPDX-License-Identifier: MIT
// tries: has the driver compile 64 barriers
// ends: FAIL the OpenCL driver needs more than 1 s
// launch: 1
// seconds: 60
#define FOUR(what) what what what what
__kernel void gemm(int M, int N, int K, __global const float *A, __global const float *B,
                   __global float *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    __local float sum;
    FOUR(FOUR(FOUR(sum += A[row]; barrier(CLK_LOCAL_MEM_FENCE);)))
    C[row * N + col] = sum;
}
