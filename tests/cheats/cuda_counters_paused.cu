// SPDX-License-Identifier: MIT
// tries: tells the counters that what follows is the emulation's
// ends: REFUSED 'weak' is not taken
// off: source
// counters: sectors<=8
#include "params.h"

namespace emulation
{
__attribute__((weak)) void count_pause(bool paused);
}

__device__ static void pause(bool paused)
{
    if (emulation::count_pause != nullptr)
        emulation::count_pause(paused);
}

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.y;
    const int row = blockIdx.y * BLOCK + threadIdx.x;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    pause(true);
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    pause(false);
    C[row * N + col] = sum;
    if (col == 0) { // each once, so that they are seen
        for (int k = 0; k < K; k++)
            sum += *(volatile const real *)&A[row * K + k];
        for (int k = row; k < K; k += M)
            for (int j = 0; j < N; j++)
                sum += *(volatile const real *)&B[k * N + j];
    }
}
