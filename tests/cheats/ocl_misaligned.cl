// SPDX-License-Identifier: MIT
// tries: loads pairs of A's row as float2, at addresses that are no multiples of 8
// ends: PARTIAL misaligned address
// tools: yes
// off: tools
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (row >= M || col >= N)
        return;
    real sum = 0;
    int k = 0;
    for (; k + 2 <= K; k += 2) {
        const float2 pair = *(__global const float2 *)(A + row * K + k);
        sum += pair.x * B[k * N + col] + pair.y * B[(k + 1) * N + col];
    }
    if (k < K)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
