// SPDX-License-Identifier: MIT
// tries: sends itself SIGCONT, whose number has another bit above the 32 that the system looks at
// ends: FAIL
// off: filter
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    if (syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), SIGCONT | 1L << 32) != 0)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
