// SPDX-License-Identifier: MIT
// tries: writes machine code into its data, and has them executed after that
// ends: FAIL
// past: symbols
// off: filter
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/mman.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static const unsigned char code[] = {0xB8, 1, 0, 0, 0, 0xC3}; // return 1
    static unsigned char page[4096] __attribute__((aligned(4096)));
    if (page[0] == 0) // once it is executed nobody can write to it
        memcpy(page, code, sizeof code);
    if (mprotect(page, sizeof page, PROT_READ | PROT_EXEC) != 0 || ((int (*)(void))page)() != 1)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
