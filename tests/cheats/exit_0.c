// SPDX-License-Identifier: MIT
// tries: ends with status 0 from within a call
// ends: FAIL the kernel ended the program
#include <stdlib.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
    exit(0);
}
