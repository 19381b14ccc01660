// SPDX-License-Identifier: MIT
// tries: tells the counters of loads from shared memory that there are none
// ends: REFUSED 'weak' is not taken
// past: source
// then: REFUSED __tsan_read4
// lab: lab09_cuda_shared
// counters: sectors<=8 conflicts=0 shared>=0.1
#include "params.h"

extern "C" __attribute__((weak)) void __tsan_read4(void *address);

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __shared__ real tile[BLOCK];
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    if (row >= M || col >= N)
        return;
    real sum = 0;
    for (int k = 0; k < K; k++) {
        sum += A[row * K + k] * B[k * N + col];
        if (__tsan_read4 != nullptr)
            __tsan_read4(&tile[threadIdx.x]);
    }
    C[row * N + col] = sum;
}
