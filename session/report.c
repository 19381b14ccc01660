// SPDX-License-Identifier: MIT
// What is printed of a verified problem and its times.
#include "diagnosis/diagnosis.h"
#include "session/session.h"
#include "session/record.h"

#include <ctype.h>

// Operations on whole numbers are not floating-point operations.
static const char *const unit = REAL_IS_INT ? "GOP/s" : "GFLOP/s";

// "= 60 % of 100, the peak of one core with avx2": the peak of the cores that the kernel used, with
// its instructions. For an OpenCL device it is that of all cores, with code by its compiler.
static void print_share(const struct session *s, double speed, const struct ceilings *c)
{
    if (c->gflops <= 0)
        return;
    printf(" = %.1f %% of %.*f, the peak of ", 100 * speed / c->gflops, decimals(c->gflops),
           c->gflops);
    if (c->cores > 1)
        printf("%d cores", c->cores);
    else if (c->cores == 1)
        printf("one core");
    else
        printf("the device%s", strcmp(s->lab->backend, "opencl") == 0 ? " by its compiler" : "");
    if (c->instructions[0] != '\0')
        printf(" with %s", c->instructions);
    if (c->best > c->gflops)
        printf("\n                 (%.*f with %s)", decimals(c->best), c->best,
               c->best_instructions);
}

// The speed, also as a share of the measured ceilings.
static void print_speed(const struct session *s, struct summary kernel, const struct ceilings *c)
{
    double speed = gflops(s, kernel.median);
    if (is_emulated(s)) {
        printf("  emulated       correctness only: the times say nothing about a GPU\n");
        return;
    }
    if (s->no_speed[0] != '\0') {
        print_wrapped(stdout, "  speed          ",
                      "none is claimed: %s; make -C .. ceilings measures that again", s->no_speed);
        return;
    }
    if (kernel.median <= 0)
        printf("  speed          too short for the clock: choose a larger size\n");
    else if (kernel.spread > 0.2)
        printf("  speed          too noisy to tell (%.*f %s at the median): run it again\n",
               decimals(speed), speed, unit);
    else {
        printf("  speed          %.*f %s", decimals(speed), speed, unit);
        print_share(s, speed, c);
        printf("\n");
    }
    if (c->gflops <= 0)
        printf("  ceilings       not measured on this device yet: make -C .. ceilings\n");
    else if (speed > c->gflops)
        printf("  ceilings       too low: this is faster than what was measured then; make -C .. "
               "ceilings\n");
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

static void print_steady(const struct session *s)
{
    const struct steady *st = &s->steady;
    double speed = gflops(s, st->ms);
    if (st->launches > 0 && s->no_speed[0] == '\0')
        printf("  steady         %.*f %s, %.*f ms each, back to back\n", decimals(speed), speed,
               unit, decimals(st->ms), st->ms);
    if (s->clocks[0].high > 0) {
        printf("  clock          ");
        print_clock(s->clocks[0]);
        if (st->launches > 0) {
            printf("; steady ");
            print_clock(s->clocks[1]);
        }
        printf("\n");
    }
}

static void print_host(const struct session *s)
{
    if (s->ranks.count > 0)
        printf("  ranks          %d, in %d x %d; %.3f ms to distribute, %.3f to gather\n",
               s->ranks.count, s->ranks.rows, s->ranks.cols,
               summary_of(s, offsetof(struct times, h2d)).median,
               summary_of(s, offsetof(struct times, d2h)).median);
    if (s->lab->alloc_ms < 0) {
        double cpu = summary_of(s, offsetof(struct times, cpu)).median,
               elapsed = summary_of(s, offsetof(struct times, kernel)).median;
        printf("  CPU time       %.3f ms by clock(), all %s together\n", cpu,
               s->ranks.count > 0 ? "ranks" : "threads");
        if (cpu < 0.9 * elapsed) // as workbook/core/quiet.py says of a record
            printf("                 the core was taken away: %.3g ms of CPU time in %.3g ms\n",
                   cpu, elapsed);
        return;
    }
    printf("  copies         %.3f ms host to device, %.3f ms device to host\n",
           summary_of(s, offsetof(struct times, h2d)).median,
           summary_of(s, offsetof(struct times, d2h)).median);
    printf("  set-up         %.3f ms allocation, %.3f ms context", s->lab->alloc_ms,
           s->lab->context_ms);
    if (s->lab->build_ms >= 0)
        printf(", %.3f ms program build", s->lab->build_ms);
    printf("\n");
}

// To the next letter or digit: a record, and make, keep other characters of a name differently.
static const char *next_plain(const char *c)
{
    while (*c != '\0' && !isalnum((unsigned char)*c))
        c++;
    return c;
}

static bool same_device(const char *one, const char *other)
{
    for (one = next_plain(one), other = next_plain(other); *one != '\0' && *one == *other;
         one = next_plain(one + 1), other = next_plain(other + 1))
        ;
    return *one == *other;
}

static void print_settings(const struct session *s)
{
    if (config.given[0] != '\0')
        printf("  given          %s\n", config.given);
    if (config.tuned[0] == '\0')
        return;
    print_wrapped(stdout, "  tuned          ", "%s", config.tuned);
    if (!same_device(config.tuned_for, s->lab->device))
        print_wrapped(stdout, "  settings       ",
                      "tuned for %s: make tune finds those for this device", config.tuned_for);
}

void report_problem(struct session *s)
{
    if (!is_timed(s) || s->rehearsal || s->failed)
        return;
    const struct problem *p = &s->lab->problem;
    judge_speed(s);
    struct summary kernel = summary_of(s, offsetof(struct times, kernel));
    struct ceilings ceilings = read_ceilings(s);
    s->reported = config.unfinished[0] == '\0'; // else its figures are shown, and counted nowhere
    if (s->reported)
        append_csv(s, &ceilings); // first: no speed is printed that could not be kept

    printf("%s%s%s  %s  M=%d N=%d K=%d  seed %u\n", config.lab, s->variant[0] ? " " : "",
           s->variant, config.type, p->M, p->N, p->K, s->opt.seed);
    printf("  device         %s\n", s->lab->device);
    print_settings(s);
    if (used_library[0] != '\0')
        printf("  library        %s\n", used_library);
    printf("  verified       PASS  %s%s\n", s->method,
           s->opt.no_warmup ? "" : "; exact on integers");
    if (config.rounding[0] != '\0')
        printf("  rounding       A and B may be rounded to %s, by %.3g of themselves\n",
               config.rounding, config.roundoff);
    if (s->opt.error)
        printf("  error          %.3g mean, %.3g largest, of %ld elements\n", s->error.mean,
               s->error.largest, s->error.elements);
    printf("  kernel         %.*f ms", decimals(kernel.median), kernel.median);
    if (timed_runs(s) > 1) // of one there is no spread
        printf(" median, %.*f minimum, spread %.0f %%, %d repetitions", decimals(kernel.minimum),
               kernel.minimum, 100 * kernel.spread, timed_runs(s));
    printf("\n");
    print_speed(s, kernel, &ceilings);
    print_steady(s);
    print_host(s);
}
