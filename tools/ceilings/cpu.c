// SPDX-License-Identifier: MIT
// The ceilings of one CPU core: multiply-adds on full registers with nothing to wait for, and a copy
// of more memory than the caches hold. Prints one line of build/ceilings.tsv.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

#ifdef __AVX512F__
enum { BYTES = 64 };
#else
enum { BYTES = 32 };
#endif
typedef real vector __attribute__((vector_size(BYTES)));

enum { CHAINS = 12, STEPS = 4000000, COPY_BYTES = 1 << 28 };

// 12 chains of dependent multiply-adds: enough to hide a latency of 4 to 5 cycles at 2 a cycle.
static double peak_gflops(real x)
{
    vector sum[CHAINS], factor = {0};
    factor += x; // from argc: the compiler must not know it
    for (int c = 0; c < CHAINS; c++)
        sum[c] = factor * (real)c;
    double start = now_ms();
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            sum[c] = sum[c] * factor + factor;
    double ms = now_ms() - start;
    volatile real sink; // or the loop would have no effect
    for (int c = 0; c < CHAINS; c++)
        sink = sum[c][0];
    (void)sink;
    return 2.0 * STEPS * CHAINS * (BYTES / sizeof(real)) / ms * 1e-6;
}

// Bytes read plus bytes written.
static double copy_gbs(char *to, const char *from)
{
    double start = now_ms();
    memcpy(to, from, COPY_BYTES);
    return 2.0 * COPY_BYTES / (now_ms() - start) * 1e-6;
}

int main(int argc, char **argv)
{
    static struct lab lab;
    lab_begin(&lab, argc, argv, "cpu", (struct tile){1, 1, 1});
    char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
    if (from == NULL || to == NULL)
        leave(EXIT_USAGE, "no memory to measure the bandwidth with");
    memset(from, 1, COPY_BYTES);
    memset(to, 2, COPY_BYTES);
    double gflops = 0, gbs = 0;
    for (int r = 0; r < 5; r++) { // the best of five
        double f = peak_gflops((real)(argc > 100)), b = copy_gbs(to, from);
        gflops = f > gflops ? f : gflops;
        gbs = b > gbs ? b : gbs;
    }
    printf("cpu\t%s\t%s\t%.2f\t%.2f\n", lab.device, TYPE, gflops, gbs);
    free(from);
    free(to);
    return lab_end(&lab);
}
