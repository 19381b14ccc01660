// SPDX-License-Identifier: MIT
// Before a large problem a small one is done, so that a wait of minutes is announced.
#include "session/large.h"
#include "lab.h"

int size_to_announce(const struct session *s)
{
    int size = is_emulated(s) ? 128 : 512;
    double products = (double)s->opt.M * s->opt.N * s->opt.K;
    return products > 64.0 * size * size * size ? size : 0;
}

// A wait of more than a minute is announced.
static void announce_all(const struct session *s, double ms)
{
    const struct problem *p = &s->lab->problem;
    const struct options *o = &s->opt;
    double times_larger = ((double)o->M / p->M) * ((double)o->N / p->N) * ((double)o->K / p->K);
    double each = ms * times_larger, minutes = each * (2 + repetitions(s, each)) / 60e3;
    if (minutes > 1)
        fprintf(stderr, "%d x %d x %d will take about %.0f minutes%s\n", o->M, o->N, o->K, minutes,
                is_emulated(s) ? ", emulated: for right or wrong a smaller size will do" : "");
}

// A library may compile in its first run, so the second run of the rehearsal counts.
void announce(const struct session *s, double ms)
{
    if (s->rehearsal && s->sized && s->lab->run == 1)
        announce_all(s, ms);
    else if (s->lab->run == 0 && s->asked_for && !s->sized && ms > 2000)
        fprintf(stderr, "one run takes %.0f s: about %.0f s more\n", ms * 1e-3,
                ms * 1e-3 * (1 + repetitions(s, ms)));
}
