// SPDX-License-Identifier: MIT
// How often a problem is computed, and what the times of that say.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

int repetitions(const struct lab *lab, double ms)
{
    double fit = ms > 0 ? 1000 / ms : MAX_REPS;
    int reps = is_emulated(lab) ? 1 : fit < 3 ? 3 : fit > 20 ? 20 : (int)fit;
    return lab->opt.reps > 0 ? lab->opt.reps : reps;
}

int timed_runs(const struct lab *lab)
{
    return lab->runs - 2;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double q)
{
    double at = q * (count - 1);
    int below = (int)at;
    double above = sorted[below + 1 < count ? below + 1 : below];
    return sorted[below] + (at - below) * (above - sorted[below]);
}

struct summary summarize(const struct lab *lab, size_t offset)
{
    double values[MAX_REPS];
    int count = timed_runs(lab);
    for (int r = 0; r < count; r++)
        memcpy(&values[r], (const char *)&lab->times[r] + offset, sizeof values[r]);
    qsort(values, (size_t)count, sizeof values[0], ascending);
    double median = quantile(values, count, 0.5);
    double box = quantile(values, count, 0.75) - quantile(values, count, 0.25);
    return (struct summary){median, values[0], median > 0 ? box / median : 0};
}

double gflops(const struct lab *lab, double ms)
{
    return 2e-6 * lab->opt.M * lab->opt.N * lab->opt.K / ms;
}
