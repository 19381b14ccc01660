// SPDX-License-Identifier: MIT
// tries: makes A and B zero, so that zeros are right
// ends: FAIL
// past: symbols
// off: readonly
#include <string.h>
#include <sys/mman.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    char *from = (char *)((unsigned long)A / 4096 * 4096);
    unsigned long bytes = (unsigned long)(B + K * N) - (unsigned long)from;
    if (mprotect(from, bytes, PROT_READ | PROT_WRITE) != 0)
        return;
    memset((void *)A, 0, (unsigned long)(M * K) * sizeof *A);
    memset((void *)B, 0, (unsigned long)(K * N) * sizeof *B);
    memset(C, 0, (unsigned long)(M * N) * sizeof *C);
}
