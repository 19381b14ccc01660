// SPDX-License-Identifier: MIT
// The ceilings of one CPU core: multiply-adds with the instructions of each set that it has, and a
// copy of more memory than the caches hold. Prints one line of build/ceilings.tsv.
#include "lab.h"
#include "session/config.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 2000000, COPY_BYTES = 1 << 28, SETS = 3 };

// chains.c, once for each set
double chains_generic(int steps, real x), chains_sse2(int steps, real x),
    chains_avx2(int steps, real x), chains_avx512(int steps, real x);

static const struct {
    const char *name;
    double (*chains)(int steps, real x);
} sets[SETS] = {
#ifdef __x86_64__
    {"sse2", chains_sse2},
    {"avx2", chains_avx2},
    {"avx512", chains_avx512},
#else
    {"generic", chains_generic},
#endif
};

static bool has(int set)
{
#ifdef __x86_64__
    if (set == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (set == 2)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#endif
    return set == 0;
}

static double peak_gflops(int set, real x)
{
    double start = now_ms(), operations = sets[set].chains(STEPS, x);
    return operations / (now_ms() - start) * 1e-6;
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
    struct lab lab;
    lab_begin(&lab, argc, argv, "cpu", (struct tile){1, 1, 1});
    char *from = scratch(COPY_BYTES, 1), *to = scratch(COPY_BYTES, 1);
    memset(from, 1, COPY_BYTES);
    memset(to, 2, COPY_BYTES);
    double gflops[SETS] = {0}, best = 0, gbs = 0;
    for (int r = 0; r < 5; r++) { // the best of five
        for (int set = 0; set < SETS; set++) {
            double f = has(set) ? peak_gflops(set, (real)(argc > 100)) : 0;
            gflops[set] = f > gflops[set] ? f : gflops[set];
            best = f > best ? f : best;
        }
        double b = copy_gbs(to, from);
        gbs = b > gbs ? b : gbs;
    }
    printf("cpu\t%s\t%s\t%.2f\t%.2f", lab.device, config.type, best, gbs);
    for (int set = 0; set < SETS; set++)
        if (has(set))
            printf("\t%s=%.2f", sets[set].name, gflops[set]);
    printf("\n");
    free(from);
    free(to);
    return lab_end(&lab);
}
