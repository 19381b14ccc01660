// SPDX-License-Identifier: MIT
// tries: writes so much where a tool does that the report of its race has no room
// ends: PARTIAL writes so much to stderr
// tools: yes
// lab: lab09_cuda_shared
// off: tools
#include "params.h"
#include <cstdio>
#define SAY fputs // which the emulation does not see behind a macro, and nvcc refuses
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * BLOCK + x,
              row = blockIdx.y * BLOCK + y;
    if (row == 0 && col == 0)
        for (int line = 0; line < 40000; line++)
            SAY("a line that is as long as it has to be\n", stderr);
    __shared__ int count;
    count = K;
    real sum = 0;
    for (int k = 0; row < M && col < N && k < count; k++)
        sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = sum;
}
