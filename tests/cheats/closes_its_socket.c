// SPDX-License-Identifier: MIT
// tries: hangs up on the judge, and does not end
// ends: FAIL
#include <unistd.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    close(3);
    for (volatile int n = 0;; n++)
        ;
}
