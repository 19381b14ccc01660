// SPDX-License-Identifier: MIT
// tries: answers again and again, and reads no order
// ends: FAIL
#include <string.h>
#include <sys/socket.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    char much[4096];
    memset(much, 0, sizeof much);
    for (;;)
        send(3, much, sizeof much, MSG_NOSIGNAL);
}
