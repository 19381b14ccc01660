// SPDX-License-Identifier: MIT
// what: calls what is its own as functions and variables of common/, of the worker, of libc
// tools: yes
#include "params.h"

int ending, config, usage = 1;
real scratch[64], fill[2];

real now(int index)
{
    return scratch[index % 64];
}

int check(int value, int tolerance)
{
    return value < tolerance;
}

void verify(int count, const real *from)
{
    for (int i = 0; i < count; i++)
        scratch[i] = from[i];
}

real probe(int count, int serve, const real *prepare)
{
    real send = fill[0];
    for (int k = 0; check(k, count); k += usage)
        send += now(k) * prepare[k * serve];
    return send;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int at = M * N - 1; at >= 0; at--) {
        real all = 0;
        for (int k = 0; k < K; k += 64) {
            const int left = K - k < 64 ? K - k : 64;
            verify(left, A + at / N * K + k);
            all += probe(left, N, B + k * N + at % N);
        }
        C[at] = all;
    }
}
