// SPDX-License-Identifier: MIT
// The clock, the median of repetitions, and how a program ends.
#include "lab.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
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

struct summary summarize(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], ascending);
    double median = quantile(values, count, 0.5);
    double box = quantile(values, count, 0.75) - quantile(values, count, 0.25);
    return (struct summary){median, values[0], median > 0 ? box / median : 0};
}

struct ending ending; // global, because exit_with() is called from everywhere

void exit_with(int status, const char *format, ...)
{
    char reason[1024];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    vsnprintf(reason, sizeof reason, format, again);
    fflush(stdout);
    fprintf(stderr, "gemm: ");
    vfprintf(stderr, format, arguments); // whole: a build log is longer than `reason`
    fputc('\n', stderr);
    va_end(again);
    va_end(arguments);
    ending.decided = true;
    ending.status = status;
    void (*record)(void *, int, const char *) = ending.record;
    ending.record = NULL; // it may call exit_with(), too
    if (record != NULL)
        record(ending.context, status, reason);
    if (ending.end != NULL)
        ending.end(status);
    exit(status);
}

void *scratch(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        exit_with(EXIT_USAGE, "no memory to verify with: choose a smaller size");
    return memory;
}
