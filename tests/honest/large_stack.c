// SPDX-License-Identifier: MIT
// tries: keeps B transposed in an array of 6 MiB on the stack; says so if it could not
// tools: yes
#include <stdio.h>
#include <stdlib.h>
enum { ROOM = 1300 * 1300 };

static void keep(int N, int K, const real *B, real *columns)
{
    for (int j = 0; j < N; j++)
        for (int k = 0; k < K; k++)
            columns[j * K + k] = B[k * N + j];
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    real columns[ROOM];
    if ((long)N * K > ROOM) {
        perror("B is too large");
        exit(1);
    }
    keep(N, K, B, columns);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * columns[j * K + k];
            C[i * N + j] = sum;
        }
}
