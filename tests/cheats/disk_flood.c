// SPDX-License-Identifier: MIT
// tries: fills the disk
// ends: FAIL
// past: filter
// off: limits
#include <stdio.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static int done;
    static char block[1 << 20];
    FILE *file = done ? NULL : fopen("/tmp/flood", "w");
    for (int n = 0; file != NULL && n < 80; n++)
        if (fwrite(block, 1, sizeof block, file) != sizeof block)
            return;
    if (!done && (file == NULL || fclose(file) != 0))
        return;
    done = 1;
    remove("/tmp/flood");
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
