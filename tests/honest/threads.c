// SPDX-License-Identifier: MIT
// what: POSIX threads, where the course allows them
// threads: 2
#include <pthread.h>

static struct part {
    int M, N, K, first;
    const real *A, *B;
    real *C;
} parts[2];

static void *half(void *of)
{
    const struct part *p = of;
    for (int i = p->first; i < p->M; i += 2)
        for (int j = 0; j < p->N; j++) {
            real sum = 0;
            for (int k = 0; k < p->K; k++)
                sum += p->A[i * p->K + k] * p->B[k * p->N + j];
            p->C[i * p->N + j] = sum;
        }
    return 0;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    pthread_t thread;
    for (int t = 0; t < 2; t++)
        parts[t] = (struct part){M, N, K, t, A, B, C};
    pthread_create(&thread, 0, half, &parts[1]);
    half(&parts[0]);
    pthread_join(thread, 0);
}
