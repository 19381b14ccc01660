// SPDX-License-Identifier: MIT
// The six calls of a lab, in one process: verify, time, report.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

enum { TIMED_RUNS = 10, SHAPES = 12 };

static struct {
    int sizes[3];
    bool check;  // the shapes below
    bool failed; // the last problem
    int tried;   // problems
    double ms[TIMED_RUNS];
} session;

// Odd sizes and single rows: a square that is a multiple of the tile hides most mistakes.
static const int shapes[SHAPES][3] = {{64, 64, 64}, {65, 33, 35}, {7, 5, 3},     {31, 37, 41},
                                      {1, 129, 23}, {131, 1, 19}, {17, 33, 1},   {127, 131, 113},
                                      {1, 1, 97},   {1, 1, 1},    {300, 5, 100}, {5, 300, 257}};

FALLBACK void lab_begin(struct lab *lab, int argc, char **argv, const char *backend,
                        struct tile tile)
{
    int count = 0, *sizes = session.sizes;
    *lab = (struct lab){.backend = backend, .tile = tile, .device = "CPU"};
    sizes[0] = 512;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--check") == 0)
            session.check = true;
        else if (count == 3 || (sizes[count++] = atoi(argv[i])) <= 0)
            exit_with(EXIT_USAGE, "usage: %s [SIZE | M N K] [--check]", argv[0]);
    for (int n = count == 3 ? 3 : 1; n < 3; n++)
        sizes[n] = sizes[0];
    lab->is_timed = !session.check;
}

FALLBACK bool next_problem(struct lab *lab)
{
    const int *size = session.check ? shapes[session.tried % SHAPES] : session.sizes;
    problem_free(&lab->problem);
    if (session.failed || session.tried == (session.check ? SHAPES : 1))
        return false;
    session.tried++;
    problem_create(&lab->problem, lab->tile, size[0], size[1], size[2]);
    lab->run = 0;
    lab->launches = 1;
    return true;
}

FALLBACK bool next_run(struct lab *lab)
{
    if (session.failed || lab->run == (session.check ? 2 : 2 + TIMED_RUNS))
        return false;
    fill_inputs(&lab->problem, lab->run == 0 ? INTEGERS : UNIFORM, (uint32_t)lab->run);
    poison_output(&lab->problem);
    return true;
}

FALLBACK void end_run(struct lab *lab, struct times times)
{
    struct found f;
    const char *method;
    const struct problem *p = &lab->problem;
    session.ms[lab->run < 2 ? 0 : lab->run - 2] = times.kernel;
    lab->run++;
    session.failed = !verify(p, SMALL_PRODUCT, true, &f, &method);
    if (!session.failed)
        return;
    printf("FAIL  %d x %d x %d: %ld of %ld elements are wrong\n", p->M, p->N, p->K, f.wrong,
           f.examined);
    if (f.wrong > 0)
        printf("  first: C(%d,%d) is %.9g, expected %.9g, tolerance %.3g\n", f.i, f.j, f.got,
               f.expected, f.bound);
    for (int m = 0; m < 3; m++)
        if (f.guard_words[m] > 0 || (m < 2 && f.input_changes[m] > 0))
            printf("  the kernel writes %s %c\n", f.guard_words[m] > 0 ? "outside" : "to",
                   "ABC"[m]);
}

FALLBACK void print_report(struct lab *lab)
{
    const struct problem *p = &lab->problem;
    if (session.failed || session.check)
        return;
    const struct summary s = summarize(session.ms, TIMED_RUNS);
    printf("%d x %d x %d  %.3f ms median, %.3f minimum, %.1f GFLOP/s  %s\n", p->M, p->N, p->K,
           s.median, s.minimum, 2e-6 * p->M * p->N * p->K / s.median, lab->device);
}

FALLBACK int lab_end(struct lab *lab)
{
    (void)lab;
    if (!session.failed)
        printf("PASS  %d shape%s\n", session.tried, session.tried > 1 ? "s" : "");
    return session.failed ? EXIT_WRONG : EXIT_SUCCESS;
}

FALLBACK int choose_device(struct lab *lab, int count, char (*names)[256], char (*facts)[256],
                           int fallback)
{
    (void)lab, (void)count, (void)names, (void)facts;
    return fallback;
}

FALLBACK void watch_gpu(struct lab *lab)
{
    (void)lab;
}
