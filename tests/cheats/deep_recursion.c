// SPDX-License-Identifier: MIT
// tries: overflows its stack
// ends: FAIL a kernel has 8 MiB of stack, and needs more
static int depth(volatile int *n)
{
    volatile int more[1024] = {*n + 1};
    return depth(more) + more[0];
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)N, (void)K, (void)A, (void)B;
    C[0] = (real)depth(&M);
}
