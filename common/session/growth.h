// SPDX-License-Identifier: MIT
// Does a kernel keep more from call to call, of one shape, without end? A shape that is new may
// take more memory, and so may each buffer of several that are used in turn. What is more behind 24
// calls, once more behind 24 others, and again behind 24 is for no shape. make check and make grade
// (grading/judge.c) have the same question, under AddressSanitizer, which counts.
#ifndef GROWTH_H
#define GROWTH_H

#include <stddef.h>

enum { GROWTH_FIRST = 3, GROWTH_CALLS = 24, GROWTH_SHAPES = 4, GROWTH_PRODUCTS = 1 << 18 };
#define GROWTH_SAID "memory growth: %zu bytes in %d calls of one shape"

struct growth {
    int calls;         // of this shape
    size_t from, half; // bytes that were taken then
    size_t grown;      // by the last calls: 0: it has an end, or nobody knows yet
    int shapes;        // for which there were more calls
};

// With `taken` bytes that are not given back behind one more call: how many others it takes to
// tell. Not of many shapes, nor of large ones: that would take a while under a tool.
static inline int growth_behind(struct growth *g, size_t taken, double products)
{
    const int late = g->calls++ + 1 - GROWTH_FIRST;
    if (late == 1 - GROWTH_FIRST || late == GROWTH_CALLS)
        g->from = taken;
    else if (late == 2 * GROWTH_CALLS)
        g->half = taken;
    else if (late == 3 * GROWTH_CALLS && g->half > g->from && taken > g->half)
        g->grown = taken - g->half;
    if (late != 0 || taken <= g->from || products > GROWTH_PRODUCTS || g->shapes == GROWTH_SHAPES)
        return 0;
    g->shapes++;
    return 3 * GROWTH_CALLS;
}
#endif
