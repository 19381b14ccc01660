// SPDX-License-Identifier: MIT
// tries: takes memory until there is none
// ends: FAIL
#include <stdlib.h>
#include <string.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
    for (char *more; (more = malloc(64UL << 20)) != NULL;)
        memset(more, 1, 64UL << 20);
    abort();
}
