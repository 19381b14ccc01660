// SPDX-License-Identifier: MIT
// tries: does not end
// ends: FAIL no result within
// call: 0.3
// launch: 3
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    for (volatile int forever = 1; forever;)
        ;
    if (row < M && col < N)
        C[row * N + col] = A[0] + B[0] + K;
}
