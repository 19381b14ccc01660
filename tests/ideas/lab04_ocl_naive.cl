// SPDX-License-Identifier: MIT
// Ways to write lab 04, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes: the sum is in C itself
// 2 yes: pointers that step through A and B
// 3 yes: four k in an iteration, A by vload4
// 4 yes GROUP_X=32 GROUP_Y=8: IDs from those of the group, two sums
// 5 yes GROUP_X=8 GROUP_Y=4: k backwards, fma()
// 6 yes GROUP_X=64 GROUP_Y=1: each iteration tests for the edge
// 7 yes: k in blocks of 16, a sum of each
// 8 yes GROUP_X=7 GROUP_Y=9: rows that are no multiple of a warp
// 9 yes: the row of A through a private copy of a part of it
// 10 no: dimension 0 along rows
// 11 no GROUP_X=32 GROUP_Y=8: dimension 0 along rows, the sum in C itself
// 12 no: dimension 0 along rows, pointers
// 13 no: dimension 0 along rows, A by vload4
#include "params.h"

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
#if WAY >= 10 // the host launches groups along columns: an item's number is turned
    const int number = get_local_id(1) * GROUP_X + get_local_id(0);
    const int row = get_group_id(1) * GROUP_Y + number % GROUP_Y;
    const int col = get_group_id(0) * GROUP_X + number / GROUP_Y;
#elif WAY == 4
    const int col = get_group_id(0) * GROUP_X + get_local_id(0);
    const int row = get_group_id(1) * GROUP_Y + get_local_id(1);
#else
    const int col = get_global_id(0), row = get_global_id(1);
#endif
    real sum = 0;
#if WAY == 6
    for (int k = 0; k < K; k++)
        sum += row < M && col < N ? A[row * K + k] * B[k * N + col] : 0;
#endif
    if (row >= M || col >= N)
        return;
#if WAY == 1 || WAY == 11
    C[row * N + col] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + col] += A[row * K + k] * B[k * N + col];
    return;
#elif WAY == 2 || WAY == 12
    __global const real *a = A + row * K, *b = B + col;
    for (int k = 0; k < K; k++, b += N)
        sum += *a++ * *b;
#elif WAY == 3 || WAY == 13
    for (int k = 0; k + 3 < K; k += 4) {
        const float4 a = vload4(0, &A[row * K + k]);
        sum += a.x * B[k * N + col] + a.y * B[(k + 1) * N + col];
        sum += a.z * B[(k + 2) * N + col] + a.w * B[(k + 3) * N + col];
    }
    for (int k = K / 4 * 4; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
#elif WAY == 4
    real odd = 0;
    for (int k = 0; k < K; k += 2) {
        sum += A[row * K + k] * B[k * N + col];
        odd += k + 1 < K ? A[row * K + k + 1] * B[(k + 1) * N + col] : 0;
    }
    sum += odd;
#elif WAY == 5
    for (int k = K - 1; k >= 0; k--)
        sum = fma(A[row * K + k], B[k * N + col], sum);
#elif WAY == 7
    for (int k0 = 0; k0 < K; k0 += 16) {
        real part = 0;
        for (int k = k0; k < min(k0 + 16, K); k++)
            part += A[row * K + k] * B[k * N + col];
        sum += part;
    }
#elif WAY == 9
    for (int k0 = 0; k0 < K; k0 += 8) {
        real a[8];
        for (int k = 0; k < 8; k++)
            a[k] = k0 + k < K ? A[row * K + k0 + k] : 0;
        for (int k = 0; k < 8 && k0 + k < K; k++)
            sum += a[k] * B[(k0 + k) * N + col];
    }
#elif WAY != 6
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
#endif
    C[row * N + col] = sum;
}
