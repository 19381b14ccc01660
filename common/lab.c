// SPDX-License-Identifier: MIT
// The six calls of a lab, in one process: verify, time, report.
#include "lab.h"

#include <stdlib.h>
#include <string.h>

enum { TIMED_RUNS = 10, SHAPES = 12 };

static struct {
    int sizes[3];
    bool check;         // the shapes below
    bool failed;        // no problem follows
    int tried;          // problems
    const char *method; // of the last verification
    double ms[TIMED_RUNS];
} state;

// Odd sizes and single rows: a square that is a multiple of the tile hides most mistakes.
static const int shapes[SHAPES][3] = {{64, 64, 64}, {65, 33, 35}, {7, 5, 3},     {31, 37, 41},
                                      {1, 129, 23}, {131, 1, 19}, {17, 33, 1},   {127, 131, 113},
                                      {1, 1, 97},   {1, 1, 1},    {300, 5, 100}, {5, 300, 257}};

FALLBACK void lab_begin(struct lab *lab, int argc, char **argv, const char *backend,
                        struct tile tile)
{
    int count = 0, *sizes = state.sizes;
    char *end;
    *lab = (struct lab){.backend = backend, .tile = tile, .device = "CPU"};
    sizes[0] = 512;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--check") == 0)
            state.check = true;
        else if (count > 2 || (sizes[count++] = (int)strtol(argv[i], &end, 10)) <= 0 ||
                 *end != '\0')
            count = 4;
    if (count > 3 || count == 2 || (count > 0 && state.check))
        exit_with(EXIT_USAGE, "usage: %s [SIZE | M N K | --check]", argv[0]);
    for (int n = count == 3 ? 3 : 1; n < 3; n++)
        sizes[n] = sizes[0];
    lab->is_timed = !state.check;
}

FALLBACK bool next_problem(struct lab *lab)
{
    const int *size = state.check ? shapes[state.tried % SHAPES] : state.sizes;
    problem_free(&lab->problem);
    if (state.failed || state.tried == (state.check ? SHAPES : 1))
        return false;
    state.tried++;
    problem_create(&lab->problem, lab->tile, size[0], size[1], size[2]);
    lab->run = 0;
    lab->launches = 1;
    return true;
}

FALLBACK bool next_run(struct lab *lab)
{
    if (state.failed || lab->run == (state.check ? 2 : 2 + TIMED_RUNS))
        return false;
    fill_inputs(&lab->problem, lab->run == 0 ? INTEGERS : UNIFORM, (uint32_t)lab->run);
    poison_output(&lab->problem);
    return true;
}

FALLBACK void end_run(struct lab *lab, struct times times)
{
    struct found f;
    const struct problem *p = &lab->problem;
    state.ms[lab->run < 2 ? 0 : lab->run - 2] = times.kernel;
    lab->run++;
    state.failed = !verify(p, SMALL_PRODUCT, true, &f, &state.method);
    if (!state.failed)
        return;
    printf("FAIL  %d x %d x %d, %s\n", p->M, p->N, p->K,
           p->set == INTEGERS ? "whole numbers" : "uniform values");
    if (f.wrong > 0)
        printf("  %ld of %ld elements are wrong, first C(%d,%d): %.9g, expected %.9g\n", f.wrong,
               f.examined, f.i, f.j, f.got, f.expected);
    for (int m = 0; m < 3; m++)
        if (f.guard_words[m] > 0 || (m < 2 && f.input_changes[m] > 0))
            printf("  the kernel writes to %c, or beside it\n", "ABC"[m]);
}

FALLBACK void print_report(struct lab *lab)
{
    const struct problem *p = &lab->problem;
    if (state.failed || state.check)
        return;
    const struct summary s = summarize(state.ms, TIMED_RUNS);
    printf("%s, %d x %d x %d, verified: %s\n%.3f ms median, %.3f minimum, %.1f GFLOP/s\n",
           lab->device, p->M, p->N, p->K, state.method, s.median, s.minimum,
           2e-6 * p->M * p->N * p->K / s.median);
}

FALLBACK int lab_end(struct lab *lab)
{
    (void)lab;
    if (!state.failed)
        printf("PASS  %d shape%s\n", state.tried, state.tried > 1 ? "s" : "");
    return state.failed ? EXIT_WRONG : EXIT_SUCCESS;
}

FALLBACK int choose_device(struct lab *lab, int count, char (*names)[256], char (*facts)[256],
                           int standard)
{
    (void)lab, (void)count, (void)names, (void)facts;
    return standard;
}

FALLBACK void watch_gpu(struct lab *lab)
{
    (void)lab;
}
