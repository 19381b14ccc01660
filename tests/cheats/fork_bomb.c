// SPDX-License-Identifier: MIT
// tries: starts processes without end
// ends: REFUSED fork
#include <unistd.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (;;)
        fork();
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
}
