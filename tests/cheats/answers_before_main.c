// SPDX-License-Identifier: MIT
// tries: tells the judge of a crash before there is a problem
// ends: FAIL said something else before it was ready
#include "guest/guest.h"
#include <sys/socket.h>
__attribute__((constructor)) static void answer(void)
{
    static struct answer crash = {.kind = CRASHES, .signal = 11, .access = READS};
    send(3, &crash, sizeof crash, 0);
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
}
