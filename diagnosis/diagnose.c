// SPDX-License-Identifier: MIT
// The likely cause of a wrong result, from the matrices and the trials. One is named only where the
// evidence singles it out: a trial that changes one thing and changes the result, numbers that only
// one mistake can leave, or a pattern in C. Whoever is told a wrong cause looks there.
#include "diagnosis/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double small = 512.0 * 512.0 * 512.0; // products, of which each is computed

void begin_findings(const struct problem *p, struct findings *f)
{
    *f = (struct findings){
        .M = p->M, .N = p->N, .K = p->K, .tile = p->tile, .set = p->set, .seed = p->seed};
}

// ---- what C looks like --------------------------------------------------------------------------
// The value of an uninitialized variable in the emulation: GCC, and
// -ftrivial-auto-var-init=pattern. As float, or double, it is so large that no sum changes it.
static bool is_unset(real x)
{
    real unset;
    memset(&unset, 0xFE, sizeof unset);
    return memcmp(&x, &unset, sizeof x) == 0;
}

static void count_wrong(const struct problem *p, struct findings *f, int i, int j)
{
    const size_t at = (size_t)i * (size_t)p->N + (size_t)j;
    const real element = p->C.data[at];
    f->i_min = i < f->i_min ? i : f->i_min;
    f->i_max = i > f->i_max ? i : f->i_max;
    f->j_min = j < f->j_min ? j : f->j_min;
    f->j_max = j > f->j_max ? j : f->j_max;
    f->poison += is_poison(element);
    f->nan += !isfinite((double)element);
    f->zero += element == 0;
    f->unset += is_unset(element);
    f->edges += i >= f->M / f->tile.m * f->tile.m || j >= f->N / f->tile.n * f->tile.n;
    f->cut += (double)element == trunc((double)element);
    f->found.marks[at] |=
        (unsigned char)((is_poison(element) ? UNWRITTEN : 0) | (element != 0 ? NOT_ZERO : 0));
}

static void add_sample(struct evidence *e, struct findings *f, size_t i, size_t j)
{
    const struct problem *p = e->p;
    const size_t N = (size_t)p->N, K = (size_t)p->K;
    struct sample s = {.i = i, .j = j, .got = (double)p->C.data[i * N + j]};
    for (size_t k = 0; k < K; k++) {
        const double product = (double)p->A.data[i * K + k] * (double)p->B.data[k * N + j];
        s.right += product;
        s.magnitude += product * product;
    }
    s.magnitude = sqrt(s.magnitude);
    if (s.got != 0 && !(fabs(s.got - s.right) <= 1))
        f->cut = 0;
    f->found.marks[i * N + j] |= SAMPLED;
    e->samples[e->count++] = s;
}

static bool is_power_of_2(int number)
{
    return (number & (number - 1)) == 0 && number < 1 << OF_EACH;
}

// Verifies C once more, with marks, and counts and samples the wrong elements.
static struct evidence look(const struct problem *p, struct findings *f)
{
    struct evidence e = {.p = p, .f = f};
    const char *method;
    f->found.marks = scratch(elements_of(&p->C), 1);
    f->found.wrong = f->found.examined = f->found.suspects = 0;
    f->found.errors = f->found.largest_error = 0;
    verify_product(p, small, true, &f->found, &method);
    f->i_min = f->i_max = f->found.i;
    f->j_min = f->j_max = f->found.j;
    const unsigned char *mark = f->found.marks;
    for (int i = 0, rows = 0; i < p->M; i++)
        for (int j = 0, here = 0; j < p->N; j++, mark++) {
            const int y = (int)((long)i * MAP_ROWS / p->M), x = (int)((long)j * MAP_COLS / p->N);
            f->map_seen[y][x] += (*mark & SEEN) != 0;
            f->map_wrong[y][x] += (*mark & WRONG) != 0;
            if ((*mark & WRONG) == 0)
                continue;
            count_wrong(p, f, i, j);
            rows += here++ == 0;
            if (is_power_of_2(rows) && is_power_of_2(here))
                add_sample(&e, f, (size_t)i, (size_t)j);
        }
    return e;
}

static void forget(struct findings *f)
{
    free(f->found.marks);
    f->found.marks = NULL;
}

struct cause computed_cause(const struct problem *p, struct findings *f)
{
    struct evidence e = look(p, f);
    e.trial = f->trials;
    struct cause cause = only_mistake(&e);
    forget(f);
    return cause;
}

// ---- the cause ----------------------------------------------------------------------------------
// First a mistake that explains each element, then the trials, and finally the place.
static struct cause by_content(const struct evidence *e)
{
    struct cause (*const all[])(const struct evidence *) = {
        by_origin,    only_mistake, only_numbered, only_lanes,     only_half,
        by_stability, by_unwritten, by_signs,      only_narrowing, by_place};
    struct cause cause = {NULL, ""};
    for (size_t a = 0; a < sizeof all / sizeof all[0] && cause.kind == NULL; a++)
        cause = all[a](e);
    return cause;
}

void diagnose(const struct problem *p, struct findings *f)
{
    struct evidence e = {.p = p, .f = f};
    if (f->found.wrong > 0)
        e = look(p, f);
    f->cause = by_memory(&e);
    if (f->cause.kind == NULL && f->found.wrong > 0)
        f->cause = by_content(&e);
    forget(f);
}
