// SPDX-License-Identifier: MIT
// Ways to write lab 08, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes: the sum is in C itself
// 2 yes: pointers that step through A and B
// 3 yes BLOCK=16: four k in an iteration, A by float4
// 4 yes BLOCK=8: k backwards, fmaf()
// 5 yes: each iteration tests for the edge
// 6 yes: k in blocks of 16, a sum of each
// 7 yes BLOCK=7: rows that are no multiple of a warp
// 8 yes: a template, __ldg(), __restrict__
// 9 yes: grid-stride loops over rows and columns
// 10 no: x along rows
// 11 no: x along rows, the sum in C itself
// 12 no BLOCK=16: x along rows, pointers that step through A and B
// 13 no: x along rows, grid-stride loops
#include "params.h"

#if WAY == 8
template <int STEP>
__device__ real dot(int K, int N, const real *__restrict__ a, const real *__restrict__ b)
{
    real sums[STEP] = {};
    for (int k = 0; k < K; k += STEP)
#pragma unroll
        for (int s = 0; s < STEP; s++)
            sums[s] += k + s < K ? __ldg(&a[k + s]) * __ldg(&b[(k + s) * N]) : 0;
    real sum = 0;
    for (real one : sums)
        sum += one;
    return sum;
}
#endif

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
#if WAY >= 10
    const int row = blockIdx.y * BLOCK + threadIdx.x, col = blockIdx.x * BLOCK + threadIdx.y;
#else
    const int row = blockIdx.y * BLOCK + threadIdx.y, col = blockIdx.x * BLOCK + threadIdx.x;
#endif
    real sum = 0;
#if WAY == 5
    for (int k = 0; k < K; k++)
        if (row < M && col < N)
            sum += A[row * K + k] * B[k * N + col];
#elif WAY == 9 || WAY == 13
    for (int i = row; i < M; i += gridDim.y * BLOCK)
        for (int j = col; j < N; j += gridDim.x * BLOCK) {
            real one = 0;
            for (int k = 0; k < K; k++)
                one += A[i * K + k] * B[k * N + j];
            C[i * N + j] = one;
        }
    return;
#endif
    if (row >= M || col >= N)
        return;
#if WAY == 1 || WAY == 11
    C[row * N + col] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + col] += A[row * K + k] * B[k * N + col];
    return;
#elif WAY == 2 || WAY == 12
    const real *b = B + col;
    for (const real *a = A + row * K, *end = a + K; a < end; a++, b += N)
        sum += *a * *b;
#elif WAY == 3
    int k = 0;
    for (; K % 4 == 0 && k < K; k += 4) {
        const float4 a = *(const float4 *)&A[row * K + k];
        sum += a.x * B[k * N + col] + a.y * B[(k + 1) * N + col];
        sum += a.z * B[(k + 2) * N + col] + a.w * B[(k + 3) * N + col];
    }
    for (; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
#elif WAY == 4
    for (int k = K - 1; k >= 0; k--)
        sum = fmaf(A[row * K + k], B[k * N + col], sum);
#elif WAY == 6
    for (int k0 = 0; k0 < K; k0 += 16) {
        real part = 0;
        for (int k = k0; k < min(k0 + 16, K); k++)
            part += A[row * K + k] * B[k * N + col];
        sum += part;
    }
#elif WAY == 8
    sum = dot<8>(K, N, &A[row * K], &B[col]);
#elif WAY != 5
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
#endif
    C[row * N + col] = sum;
}
