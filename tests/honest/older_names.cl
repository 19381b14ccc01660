// SPDX-License-Identifier: MIT
// what: has names of its own that later versions of OpenCL C took: ctz, atomic_int, queue_t
#include "params.h"

typedef struct {
    int row, col;
} queue_t;
typedef int atomic_int;

int ctz(int x)
{
    int zeros = 0;
    for (; x != 0 && (x & 1) == 0; x >>= 1)
        zeros++;
    return zeros;
}

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const queue_t at = {get_global_id(1), get_global_id(0)};
    const atomic_int pairs = K >> ctz(2);
    real sum = 0;
    if (at.row >= M || at.col >= N)
        return;
    for (int k = 0; k < 2 * pairs; k += 2)
        sum +=
            A[at.row * K + k] * B[k * N + at.col] + A[at.row * K + k + 1] * B[(k + 1) * N + at.col];
    if (K % 2 != 0)
        sum += A[at.row * K + K - 1] * B[(K - 1) * N + at.col];
    C[at.row * N + at.col] = sum;
}
