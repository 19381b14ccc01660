// SPDX-License-Identifier: MIT
// tries: writes machine code into memory, where threads are allowed
// ends: FAIL
// past: symbols
// off: filter
// threads: 2
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/mman.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static const unsigned char code[] = {0xB8, 1, 0, 0, 0, 0xC3}; // return 1
    void *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    memcpy(page, code, sizeof code);
    if (((int (*)(void))page)() != 1)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
