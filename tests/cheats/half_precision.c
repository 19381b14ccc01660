// SPDX-License-Identifier: MIT
// tries: adds up numbers of 11 bits
// ends: FAIL
#include <string.h>
static real narrow(real x) // as half precision: 10 bits behind the first
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xFFFFE000u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += narrow(A[i * K + k]) * narrow(B[k * N + j]);
            C[i * N + j] = sum;
        }
}
