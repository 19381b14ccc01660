// SPDX-License-Identifier: MIT
// tries: has the driver unroll nested loops a million times
// ends: FAIL the OpenCL driver needs more than 2 s
// launch: 2
__kernel void gemm(int M, int N, int K, __global const float *A, __global const float *B,
                   __global float *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
#pragma unroll 16
    for (int a = 0; a < 16; a++)
#pragma unroll 16
        for (int b = 0; b < 16; b++)
#pragma unroll 16
            for (int c = 0; c < 16; c++)
#pragma unroll 16
                for (int d = 0; d < 16; d++)
#pragma unroll 16
                    for (int e = 0; e < 16; e++)
                        sum += A[(a + b + c + d + e) % K] * B[col];
    C[row * N + col] = sum;
}
