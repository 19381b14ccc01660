// SPDX-License-Identifier: MIT
// Statistics over the repetitions, and what is printed of them.
#include "lab.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>

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

int timed_runs(const struct lab *lab)
{
    return lab->runs - 2;
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

// "= 60 % of this device's 100", for each instruction set; on a CPU of as many cores as it used.
static void print_share(double speed, const struct ceilings *c)
{
    if (c->gflops <= 0)
        return;
    printf(" = %.1f %% of %s %.*f", 100 * speed / c->gflops, c->cores > 1 ? "the" : "this device's",
           decimals(c->gflops), c->gflops);
    if (c->cores > 1)
        printf(" of %d cores", c->cores);
    if (c->instructions[0] != '\0')
        printf(" with %s", c->instructions);
    if (c->best > c->gflops)
        printf("\n                 (%.*f with %s)", decimals(c->best), c->best,
               c->best_instructions);
}

// Speed and traffic, also as a share of the measured ceilings.
static void print_speed(const struct lab *lab, struct summary kernel, const struct ceilings *c)
{
    const struct problem *p = &lab->problem;
    double speed = gflops(lab, kernel.median);
    double gigabytes = ((double)p->M * p->K + (double)p->K * p->N + (double)p->M * p->N) *
                       (double)sizeof(real) * 1e-9;
    double gbs = gigabytes / (kernel.median * 1e-3);
    if (is_emulated(lab)) {
        printf("  emulated       correctness only: the times say nothing about a GPU\n");
        return;
    }
    if (kernel.median <= 0)
        printf("  speed          too short for the clock: choose a larger size\n");
    else if (kernel.spread > 0.2)
        printf("  speed          too noisy to tell (%.*f GFLOP/s at the median): run it again\n",
               decimals(speed), speed);
    else {
        printf("  speed          %.*f GFLOP/s", decimals(speed), speed);
        print_share(speed, c);
        printf("\n  traffic        %.*f GB/s if each matrix moved once", decimals(gbs), gbs);
        if (c->gbs > 0)
            printf(" = %.1f %% of %.*f", 100 * gbs / c->gbs, decimals(c->gbs), c->gbs);
        printf("\n");
    }
    if (c->gflops <= 0)
        printf("  ceilings       not measured on this device yet: make -C .. ceilings\n");
}

static void print_clock(struct clocks c)
{
    printf("%u", c.low);
    if (c.low < c.high)
        printf(" to %u", c.high);
    printf(" MHz");
    for (int n = 0; clocks_limit(c, n) != NULL; n++)
        printf("%s%s", n == 0 ? ", limited by " : " and ", clocks_limit(c, n));
}

static void print_steady(const struct lab *lab)
{
    const struct steady *s = &lab->steady;
    double speed = gflops(lab, s->ms);
    if (s->launches > 0)
        printf("  steady         %.*f GFLOP/s, %.*f ms each, back to back\n", decimals(speed),
               speed, decimals(s->ms), s->ms);
    if (lab->clocks[0].high > 0) {
        printf("  clock          ");
        print_clock(lab->clocks[0]);
        if (s->launches > 0) {
            printf("; steady ");
            print_clock(lab->clocks[1]);
        }
        printf("\n");
    }
}

static void print_host(const struct lab *lab)
{
    if (lab->ranks.count > 0)
        printf("  ranks          %d, in %d x %d; %.3f ms to distribute, %.3f to gather\n",
               lab->ranks.count, lab->ranks.rows, lab->ranks.cols,
               summarize(lab, offsetof(struct times, h2d)).median,
               summarize(lab, offsetof(struct times, d2h)).median);
    if (lab->alloc_ms < 0) {
        double cpu = summarize(lab, offsetof(struct times, cpu)).median,
               elapsed = summarize(lab, offsetof(struct times, kernel)).median;
        printf("  CPU time       %.3f ms by clock(), all %s together\n", cpu,
               lab->ranks.count > 0 ? "ranks" : "threads");
        if (cpu < 0.9 * elapsed) // as workbook/quiet.py says of a record
            printf("                 the core was taken away: %.3g ms of CPU time in %.3g ms\n",
                   cpu, elapsed);
        return;
    }
    printf("  copies         %.3f ms host to device, %.3f ms device to host\n",
           summarize(lab, offsetof(struct times, h2d)).median,
           summarize(lab, offsetof(struct times, d2h)).median);
    printf("  set-up         %.3f ms allocation, %.3f ms context", lab->alloc_ms, lab->context_ms);
    if (lab->build_ms >= 0)
        printf(", %.3f ms program build", lab->build_ms);
    printf("\n");
}

static void print_settings(const struct lab *lab)
{
    const struct tuned *tuned = tuned_of(lab);
    if (config.settings[0] != '\0')
        printf("  given          %s\n", config.settings);
    if (tuned == NULL)
        return;
    print_wrapped(stdout, "  tuned          ", "%s", tuned->found);
    if (!same_device(tuned->device, lab->device))
        print_wrapped(stdout, "  settings       ",
                      "tuned for %s: make tune finds those for this device", tuned->device);
}

void print_report(struct lab *lab)
{
    if (!is_timed(lab) || lab->rehearsal || lab->failed || unfinished(lab) != NULL)
        return;
    const struct problem *p = &lab->problem;
    refuse_impossible_speed(lab);
    struct summary kernel = summarize(lab, offsetof(struct times, kernel));
    struct ceilings ceilings = read_ceilings(lab);
    append_csv(lab, &ceilings); // first: no speed is printed that could not be kept
    lab->reported = true;

    printf("%s%s%s  %s  M=%d N=%d K=%d  seed %u\n", config.lab, lab->variant[0] ? " " : "",
           lab->variant, config.type, p->M, p->N, p->K, lab->opt.seed);
    printf("  device         %s\n", lab->device);
    print_settings(lab);
    if (used_library[0] != '\0')
        printf("  library        %s\n", used_library);
    printf("  verified       PASS  %s%s\n", lab->method,
           lab->opt.again ? "" : "; exact on whole numbers");
    struct rounding rounding = rounding_of(lab);
    if (rounding.name[0] != '\0')
        printf("  rounding       A and B may be rounded to %s, by %.3g of themselves\n",
               rounding.name, rounding.roundoff);
    if (lab->opt.error)
        printf("  error          %.3g mean, %.3g largest, of %ld elements\n", lab->error.mean,
               lab->error.largest, lab->error.elements);
    printf("  kernel         %.*f ms median, %.*f minimum, spread %.0f %%, %d repetitions\n",
           decimals(kernel.median), kernel.median, decimals(kernel.minimum), kernel.minimum,
           100 * kernel.spread, timed_runs(lab));
    print_speed(lab, kernel, &ceilings);
    print_steady(lab);
    print_host(lab);
}
