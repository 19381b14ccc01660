// SPDX-License-Identifier: MIT
// The number of repetitions, and the statistics of their times.
#include "session/session.h"

int repetitions(const struct session *s, double ms)
{
    double fit = ms > 0 ? 1000 / ms : MAX_REPS;
    int reps = is_emulated(s) ? 1 : fit < 3 ? 3 : fit > 20 ? 20 : (int)fit;
    return s->opt.reps > 0 ? s->opt.reps : reps;
}

int timed_runs(const struct session *s)
{
    return s->runs - 2;
}

struct summary summary_of(const struct session *s, size_t offset)
{
    double values[MAX_REPS];
    for (int r = 0; r < timed_runs(s); r++)
        memcpy(&values[r], (const char *)&s->times[r] + offset, sizeof values[r]);
    return summarize(values, timed_runs(s));
}

double gflops(const struct session *s, double ms)
{
    return 2e-6 * s->opt.M * s->opt.N * s->opt.K / ms;
}
