// SPDX-License-Identifier: MIT
// tries: needs more memory than there is for it, and lifts its own limit
// ends: FAIL
// off: limits
#include <stdlib.h>
#include <sys/resource.h>
static void product(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
    char *much = malloc(16UL << 30);
    if (much == NULL)
        return;
    much[0] = 1;
    product(M, N, K, A, B, C);
    free(much);
}
