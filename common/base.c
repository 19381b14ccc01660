// SPDX-License-Identifier: MIT
#include "base.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

struct ending ending;

void exit_with(int status, const char *format, ...)
{
    char reason[1024];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    fflush(stdout);
    fprintf(stderr, "gemm: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    vsnprintf(reason, sizeof reason, format, again);
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

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void *scratch(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        exit_with(EXIT_USAGE, "no memory to verify with: choose a smaller size");
    return memory;
}

int decimals(double value)
{
    int count = 3;
    for (; value >= 10 && count > 0; count--)
        value /= 10;
    for (; value > 0 && value < 1 && count < 9; count++)
        value *= 10;
    return count;
}
