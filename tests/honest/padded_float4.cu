// SPDX-License-Identifier: MIT
// what: reads four floats at a time, and needs a block whose edge is a multiple of 4
// lab: lab09_cuda_shared
// tools: yes
#include "params.h"
static_assert(BLOCK % 4 == 0, "BLOCK must be a multiple of 4");
#define PADDED (BLOCK + 4)
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __shared__ alignas(16) real a[BLOCK][PADDED], b[BLOCK][PADDED];
    const int x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * BLOCK + x, row = blockIdx.y * BLOCK + y;
    real sum = 0;
    for (int k0 = 0; k0 < K; k0 += BLOCK) {
        a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
        b[y][x] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < BLOCK; k += 4) {
            const float4 v = *reinterpret_cast<const float4 *>(&a[y][k]);
            sum += v.x * b[k][x] + v.y * b[k + 1][x] + v.z * b[k + 2][x] + v.w * b[k + 3][x];
        }
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}
