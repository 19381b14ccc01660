// SPDX-License-Identifier: MIT
// tries: prints to stderr, in characters of four bytes, more than fits beside a tool's report
// ends: PARTIAL writes so much to stderr that a tool's report has no room
// tools: yes
// off: tools
#include <stdio.h>
#include <stdlib.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int line = 0; line < 1500; line++)
        fputs("😀😀😀😀😀😀😀😀😀😀😀😀\n", stderr);
    int *unset = malloc(64), odd = 0;
    if (unset[3] > 5)
        odd = 1;
    free(unset);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum + 0 * (real)odd;
        }
}
