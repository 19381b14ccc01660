// SPDX-License-Identifier: MIT
// tries: reads one element behind B, where K is more than 64, and does not use it
// ends: PARTIAL out of bounds: reads outside B
// off: edges
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (int k = 0; row < M && col < N && k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = sum;
    if (row == 0 && col == 0 && K > 64)
        (void)((volatile __global const real *)B)[K * N];
}
