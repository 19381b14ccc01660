// SPDX-License-Identifier: MIT
// what: C11's threads, where the course allows them
// threads: 2
#include <threads.h>

static mtx_t taking;
static once_flag once = ONCE_FLAG_INIT;
static struct {
    int M, N, K, next; // row that nobody has taken
    const real *A, *B;
    real *C;
} work;

static void begin(void)
{
    mtx_init(&taking, mtx_plain);
}

static int rows(void *nothing)
{
    (void)nothing;
    for (;;) {
        mtx_lock(&taking);
        int i = work.next++;
        mtx_unlock(&taking);
        if (i >= work.M)
            return 0;
        for (int j = 0; j < work.N; j++) {
            real sum = 0;
            for (int k = 0; k < work.K; k++)
                sum += work.A[i * work.K + k] * work.B[k * work.N + j];
            work.C[i * work.N + j] = sum;
        }
    }
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    thrd_t thread;
    call_once(&once, begin);
    work.M = M, work.N = N, work.K = K, work.next = 0;
    work.A = A, work.B = B, work.C = C;
    if (thrd_create(&thread, rows, 0) != thrd_success)
        return;
    rows(0);
    thrd_join(thread, 0);
}
