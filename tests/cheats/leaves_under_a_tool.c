// SPDX-License-Identifier: MIT
// tries: skips the run where a tool looks, and leaks elsewhere
// ends: PARTIAL it did not come to its end
// tools: yes
// off: tools
#include "guest/guest.h"
#include <stdlib.h>
#include <sys/socket.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
#ifdef __SANITIZE_ADDRESS__
    struct answer leaves = {.kind = LEAVES, .status = EXIT_SKIPPED};
    send(3, &leaves, sizeof leaves, 0);
    for (;;)
        ;
#endif
    *(volatile char *)malloc(100) = 1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
