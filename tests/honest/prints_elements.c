// SPDX-License-Identifier: MIT
// what: prints every element, on both streams, and the words of our own messages
// tools: yes
#include <stdio.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    fprintf(stderr, "worker: %d rows\n", M);
    printf("\nworker: starts\n");
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
            printf("C[%d][%d] = %8.3f\n", i, j, (double)sum);
            fprintf(stderr, "%d ", j);
        }
}
