// SPDX-License-Identifier: MIT
// what: keeps two buffers, one as large as ever was needed and one as large as is needed now
// lab: lab03_avx_block
// tools: yes
#include <stdlib.h>
#include <string.h>

static struct {
    void *here;
    size_t bytes;
} kept;

static void *largest_of(size_t bytes)
{
    if (kept.bytes >= bytes)
        return kept.here;
    free(kept.here);
    kept.bytes = bytes;
    return kept.here = malloc(bytes);
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static double *line;
    line = realloc(line, sizeof *line * N);
    real *copy = memcpy(largest_of((size_t)K * N * sizeof *B), B, (size_t)K * N * sizeof *B);
    while (M-- > 0) {
        memset(line, 0, sizeof *line * N);
        for (int at = 0; at < K * N; at++)
            line[at % N] += (double)A[at / N] * (double)copy[at];
        for (int column = 0; column < N; column++)
            *C++ = (real)line[column];
        A += K;
    }
}
