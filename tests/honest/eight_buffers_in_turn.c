// SPDX-License-Identifier: MIT
// what: keeps eight buffers that it uses in turn, each as large as it was needed
// tools: yes
#include <stdlib.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static struct {
        real *column;
        int room;
    } buffers[8];
    static int turn;
    const int mine = turn++ % 8;
    if (K > buffers[mine].room) {
        free(buffers[mine].column);
        buffers[mine].column = malloc((size_t)K * sizeof(real));
        buffers[mine].room = K;
    }
    real *column = buffers[mine].column;
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < K; k++)
            column[k] = B[k * N + j];
        for (int i = 0; i < M; i++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * column[k];
            C[i * N + j] = sum;
        }
    }
}
