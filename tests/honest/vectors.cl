// SPDX-License-Identifier: MIT
// what: reads B sixteen elements at a time, where its rows have them
// tools: yes
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++) {
        real b = B[k * N + col];
        if (N % 16 == 0) {
            union {
                float16 all;
                real each[16];
            } these;
            these.all = ((__global const float16 *)(B + k * N))[col / 16];
            b = these.each[col % 16];
        }
        sum += A[row * K + k] * b;
    }
    C[row * N + col] = sum;
}
