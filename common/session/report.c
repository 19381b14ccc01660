// SPDX-License-Identifier: MIT
// What is printed of a verified problem and its times.
#include "diagnosis/diagnosis.h"
#include "session/session.h"
#include "record/record.h"

#include <ctype.h>

// Of whole numbers no operation is one of floating point.
static const char *const unit = REAL_IS_INT ? "GOP/s" : "GFLOP/s";

// "= 60 % of 100, the peak of one core with avx2": of as many cores as it used, with its own
// instructions. An OpenCL device is measured whole, with what its compiler makes of multiply-adds.
static void print_share(const struct lab *lab, double speed, const struct ceilings *c)
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
        printf("the device%s", strcmp(lab->backend, "opencl") == 0 ? " by its compiler" : "");
    if (c->instructions[0] != '\0')
        printf(" with %s", c->instructions);
    if (c->best > c->gflops)
        printf("\n                 (%.*f with %s)", decimals(c->best), c->best,
               c->best_instructions);
}

// The speed, also as a share of the measured ceilings.
static void print_speed(const struct lab *lab, struct summary kernel, const struct ceilings *c)
{
    double speed = gflops(lab, kernel.median);
    if (is_emulated(lab)) {
        printf("  emulated       correctness only: the times say nothing about a GPU\n");
        return;
    }
    if (lab->no_speed[0] != '\0') {
        print_wrapped(stdout, "  speed          ",
                      "none is claimed: %s; make -C .. ceilings measures that again",
                      lab->no_speed);
        return;
    }
    if (kernel.median <= 0)
        printf("  speed          too short for the clock: choose a larger size\n");
    else if (kernel.spread > 0.2)
        printf("  speed          too noisy to tell (%.*f %s at the median): run it again\n",
               decimals(speed), speed, unit);
    else {
        printf("  speed          %.*f %s", decimals(speed), speed, unit);
        print_share(lab, speed, c);
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

static void print_steady(const struct lab *lab)
{
    const struct steady *s = &lab->steady;
    double speed = gflops(lab, s->ms);
    if (s->launches > 0 && lab->no_speed[0] == '\0')
        printf("  steady         %.*f %s, %.*f ms each, back to back\n", decimals(speed), speed,
               unit, decimals(s->ms), s->ms);
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
        if (cpu < 0.9 * elapsed) // as workbook/core/quiet.py says of a record
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

static void print_settings(const struct lab *lab)
{
    if (config.given[0] != '\0')
        printf("  given          %s\n", config.given);
    if (config.tuned[0] == '\0')
        return;
    print_wrapped(stdout, "  tuned          ", "%s", config.tuned);
    if (!same_device(config.tuned_for, lab->device))
        print_wrapped(stdout, "  settings       ",
                      "tuned for %s: make tune finds those for this device", config.tuned_for);
}

void report_problem(struct lab *lab)
{
    if (!is_timed(lab) || lab->rehearsal || lab->failed)
        return;
    const struct problem *p = &lab->problem;
    judge_speed(lab);
    struct summary kernel = summarize(lab, offsetof(struct times, kernel));
    struct ceilings ceilings = read_ceilings(lab);
    lab->reported = config.unfinished[0] == '\0'; // else its figures are shown, and counted nowhere
    if (lab->reported)
        append_csv(lab, &ceilings); // first: no speed is printed that could not be kept

    printf("%s%s%s  %s  M=%d N=%d K=%d  seed %u\n", config.lab, lab->variant[0] ? " " : "",
           lab->variant, config.type, p->M, p->N, p->K, lab->opt.seed);
    printf("  device         %s\n", lab->device);
    print_settings(lab);
    if (used_library[0] != '\0')
        printf("  library        %s\n", used_library);
    printf("  verified       PASS  %s%s\n", lab->method,
           lab->opt.no_warmup ? "" : "; exact on integers");
    if (config.rounding[0] != '\0')
        printf("  rounding       A and B may be rounded to %s, by %.3g of themselves\n",
               config.rounding, config.roundoff);
    if (lab->opt.error)
        printf("  error          %.3g mean, %.3g largest, of %ld elements\n", lab->error.mean,
               lab->error.largest, lab->error.elements);
    printf("  kernel         %.*f ms", decimals(kernel.median), kernel.median);
    if (timed_runs(lab) > 1) // of one there is no spread
        printf(" median, %.*f minimum, spread %.0f %%, %d repetitions", decimals(kernel.minimum),
               kernel.minimum, 100 * kernel.spread, timed_runs(lab));
    printf("\n");
    print_speed(lab, kernel, &ceilings);
    print_steady(lab);
    print_host(lab);
}
