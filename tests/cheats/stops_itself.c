// SPDX-License-Identifier: MIT
// tries: stops its own process
// ends: FAIL
#include <signal.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
    raise(SIGSTOP);
    raise(SIGABRT);
}
