// SPDX-License-Identifier: MIT
// Ways to write lab 09, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes: nothing is prefetched
// 2 yes BLOCK=16: A's tile transposed, with padding
// 3 yes BLOCK=16: two tiles of each matrix in turn, one barrier
// 4 yes: four floats at a time from A's tile
// 5 yes BLOCK=8: the operands in registers, k unrolled by 8
// 6 yes: both tiles in one array, pointers into it
// 7 yes: B's tile alone
// 8 yes: A's tile alone
// 9 yes BLOCK=16: a template with the tile as an argument
// 10 yes BLOCK=7: k is cut off at the edge instead of zeros
// 11 no: the kernel of lab 08
// 12 no: the kernel of lab 08, and a tile that nothing is computed with
// 13 no: B's tile by its columns, all in one bank
// 14 no: A's tile transposed without padding, B's by its columns
#include "params.h"
#define A_AT(k) (row < M && (k) < K ? A[row * K + (k)] : 0)
#define B_AT(k) ((k) < K && col < N ? B[(k)*N + col] : 0)
#define NEXT_TILE for (int k0 = 0; k0 < K; k0 += BLOCK)
#define EACH_K for (int k = 0; k < BLOCK; k++)

#if WAY == 9
template <typename tile> __device__ real dot(const tile &a, const tile &b, int x, int y)
{
    real sum = 0;
    EACH_K sum += a[y][k] * b[k][x];
    return sum;
}
#endif

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * BLOCK + y, col = blockIdx.x * BLOCK + x;
    real sum = 0;
#if WAY == 3
    __shared__ real a_tile[2][BLOCK][BLOCK], b_tile[2][BLOCK][BLOCK];
    NEXT_TILE
    {
        const int now = k0 / BLOCK % 2;
        a_tile[now][y][x] = A_AT(k0 + x);
        b_tile[now][y][x] = B_AT(k0 + y);
        __syncthreads();
        EACH_K sum += a_tile[now][y][k] * b_tile[now][k][x];
    }
#elif WAY == 4
    __shared__ alignas(16) real a_tile[BLOCK][BLOCK], b_tile[BLOCK][BLOCK];
    NEXT_TILE
    {
        a_tile[y][x] = A_AT(k0 + x);
        b_tile[y][x] = B_AT(k0 + y);
        __syncthreads();
        for (int k = 0; k < BLOCK; k += 4) {
            const float4 a = *(const float4 *)&a_tile[y][k];
            sum += a.x * b_tile[k][x] + a.y * b_tile[k + 1][x];
            sum += a.z * b_tile[k + 2][x] + a.w * b_tile[k + 3][x];
        }
        __syncthreads();
    }
#elif WAY == 6
    __shared__ real both[2 * BLOCK * BLOCK];
    NEXT_TILE
    {
        const real *a = both + y * BLOCK, *b = both + BLOCK * BLOCK + x;
        both[y * BLOCK + x] = A_AT(k0 + x);
        both[(BLOCK + y) * BLOCK + x] = B_AT(k0 + y);
        __syncthreads();
        for (int k = 0; k < BLOCK; k++, b += BLOCK)
            sum = fmaf(*a++, *b, sum);
        __syncthreads();
    }
#elif WAY == 7 || WAY == 8
    __shared__ real tile[BLOCK][BLOCK];
    NEXT_TILE
    {
        tile[y][x] = WAY == 7 ? B_AT(k0 + y) : A_AT(k0 + x);
        __syncthreads();
        EACH_K sum += WAY == 7 ? A_AT(k0 + k) * tile[k][x] : tile[y][k] * B_AT(k0 + k);
        __syncthreads();
    }
#elif WAY == 11 || WAY == 12
#if WAY == 12
    __shared__ real tile[BLOCK][BLOCK];
    NEXT_TILE tile[y][x] = A_AT(k0 + x);
#endif
    for (int k = 0; k < K; k++)
        sum += A_AT(k) * B_AT(k);
#else
    __shared__ real a_tile[BLOCK][BLOCK + (WAY == 2)], b_tile[BLOCK][BLOCK + (WAY == 2)];
    NEXT_TILE
    {
#if WAY == 2 || WAY == 14
        a_tile[x][y] = A_AT(k0 + x);
#else
        a_tile[y][x] = A_AT(k0 + x);
#endif
#if WAY == 13 || WAY == 14
        b_tile[x][y] = B_AT(k0 + y);
#else
        b_tile[y][x] = B_AT(k0 + y);
#endif
        __syncthreads();
#if WAY == 2
        EACH_K sum += a_tile[k][y] * b_tile[k][x];
#elif WAY == 5
#pragma unroll 8
        EACH_K
        {
            const real a = a_tile[y][k], b = b_tile[k][x];
            sum += a * b;
        }
#elif WAY == 9
        sum += dot(a_tile, b_tile, x, y);
#elif WAY == 10
        for (int k = 0; k < min(BLOCK, K - k0); k++)
            sum += a_tile[y][k] * b_tile[k][x];
#elif WAY == 13
        EACH_K sum += a_tile[y][k] * b_tile[x][k];
#elif WAY == 14
        EACH_K sum += a_tile[k][y] * b_tile[x][k];
#else
        EACH_K sum += a_tile[y][k] * b_tile[k][x];
#endif
        __syncthreads();
    }
#endif
    if (row < M && col < N)
        C[row * N + col] = sum;
}
