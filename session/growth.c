// SPDX-License-Identifier: MIT
// Does a kernel of a CPU lab keep more from call to call, of one shape, without end? Asked under
// AddressSanitizer, which counts. A shape that is new may take more memory, and so may each buffer
// of several that are used in turn. What is more behind 24 calls, once more behind 24 others, and
// again behind 24 is for no shape.
#include "session/session.h"

#include <stdio.h>

enum { FIRST = 3, CALLS = 24, SHAPES = 4, PRODUCTS = 1 << 18 };

static struct {
    int calls;         // of this shape
    size_t from, half; // bytes that were taken then
    int shapes;        // for which there were more calls
} growth;

// With so many bytes that are not given back behind one more call: how many others it takes to
// tell. Not of many shapes, nor of large ones: that would take a while under a tool.
static int note_call(struct session *s, size_t taken, double products)
{
    const int late = growth.calls++ + 1 - FIRST;
    if (late == 1 - FIRST || late == CALLS)
        growth.from = taken;
    else if (late == 2 * CALLS)
        growth.half = taken;
    else if (late == 3 * CALLS && growth.half > growth.from && taken > growth.half)
        s->grown = taken - growth.half;
    if (late != 0 || taken <= growth.from || products > PRODUCTS || growth.shapes == SHAPES)
        return 0;
    growth.shapes++;
    return 3 * CALLS;
}

int calls_to_see_growth(struct session *s)
{
    const struct problem *p = &s->lab->problem;
    if (strcmp(s->lab->backend, "cpu") != 0 || s->ranks.count > 0 || !s->opt.check ||
        s->trial != AS_IT_WAS || s->failed || s->grown > 0 || s->kept == 0)
        return 0;
    if (s->lab->run == 0)
        growth.calls = 0;
    if (s->runs < FIRST)
        s->runs = FIRST;
    const int more = note_call(s, s->kept, (double)p->M * p->N * p->K);
    if (s->grown > 0)
        fprintf(stderr, "\ngemm: memory growth: %zu bytes in %d calls of one shape\n", s->grown,
                CALLS);
    return more;
}
