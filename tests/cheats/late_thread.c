// SPDX-License-Identifier: MIT
// tries: returns at once and lets a thread finish behind the clock
// ends: FAIL
// off: freeze
// threads: 2
#include <pthread.h>
static struct {
    int M, N, K;
    const real *A, *B;
    real *C;
} work;

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

static void *later(void *nothing)
{
    (void)nothing;
    for (volatile long wait = 0; wait < 64000000; wait++)
        ;
    product(work.M, work.N, work.K, work.A, work.B, work.C);
    return 0;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    pthread_t thread;
    work.M = M, work.N = N, work.K = K;
    work.A = A, work.B = B, work.C = C;
    if (pthread_create(&thread, 0, later, 0) == 0)
        pthread_detach(thread);
}
