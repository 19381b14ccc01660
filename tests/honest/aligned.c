// SPDX-License-Identifier: MIT
// what: copies A and B, sixteen elements at a time, aligned as docs/handing-in.md says
// tools: yes
#include <stdlib.h>
typedef real sixteen __attribute__((vector_size(16 * sizeof(real)), may_alias));

static real *copy(const real *from, size_t count)
{
    real *to = aligned_alloc(64, (count / 16 + 1) * 64);
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
        *(sixteen *)(to + i) = *(const sixteen *)(from + i);
    for (; i < count; i++)
        to[i] = from[i];
    return to;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    real *a = copy(A, (size_t)M * (size_t)K), *b = copy(B, (size_t)K * (size_t)N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[i * K + k] * b[k * N + j];
            C[i * N + j] = sum;
        }
    free(a);
    free(b);
}
