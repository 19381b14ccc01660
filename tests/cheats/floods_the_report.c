// SPDX-License-Identifier: MIT
// tries: prints so much that the report of a tool would have no room beside it
// ends: PARTIAL out of bounds
// tools: yes
// past: edges
// off: tools
#include <stdio.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int n = 0; n < 2000; n++)
        puts("a line that is as long as it has to be, to take all the room there is");
    fflush(stdout);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k <= K; k++) {
                real a = ((const volatile real *)A)[i * K + k],
                     b = ((const volatile real *)B)[k * N + j];
                sum += k < K ? a * b : 0;
            }
            C[i * N + j] = sum;
        }
}
