// SPDX-License-Identifier: MIT
// What the device can do at most, as `make ceilings` measured it; and that nothing is faster.
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The best of the rest of a line: name=GFLOP/s, separated by tabs, one for each instruction set.
static void read_instruction_sets(char *text, struct ceilings *c)
{
    c->best = c->gflops;
    for (char *word = strtok(text, "\t\n"); word != NULL; word = strtok(NULL, "\t\n")) {
        char *value = strchr(word, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        if (strcmp(word, instructions) == 0) {
            snprintf(c->instructions, sizeof c->instructions, "%s", word);
            c->gflops = strtod(value, NULL);
        }
        if (strtod(value, NULL) >= c->best)
            snprintf(c->best_instructions, sizeof c->best_instructions, "%s", word);
    }
}

// A line of the file: backend, device, type, GFLOP/s, GB/s, instruction sets; separated by tabs.
// Tensor cores are faster than arithmetic of the type, and were not measured.
static struct ceilings of_one_core(const struct lab *lab)
{
    struct ceilings c = {0};
    char line[512], start[400];
    int length =
        snprintf(start, sizeof start, "%s\t%s\t%s\t", lab->backend, lab->device, config.type);
    FILE *file = config.tensor_cores || config.roundoff > 0 ? NULL : fopen(config.ceilings, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, start, (size_t)length) == 0) {
            int end = 0;
            c = (struct ceilings){0};
            sscanf(line + length, "%lf %lf%n", &c.gflops, &c.gbs, &end);
            read_instruction_sets(line + length + end, &c);
        }
    if (file != NULL)
        fclose(file);
    return c;
}

// At most as many as there are.
static double cores_used(const struct lab *lab, const struct times *t)
{
    double cores = t->cpu / t->kernel, all = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (lab->ranks.count > 0) // they may be on several machines
        all = lab->ranks.cores;
    return !(cores > 1) ? 1 : cores < all ? cores : all;
}

struct ceilings read_ceilings(const struct lab *lab)
{
    struct ceilings c = of_one_core(lab);
    struct times all = {0};
    if (strcmp(lab->backend, "cpu") != 0)
        return c;
    for (int r = 0; r < lab->run - 2; r++) {
        all.cpu += lab->times[r].cpu;
        all.kernel += lab->times[r].kernel + 1e-3; // clocks tell a microsecond, no less
    }
    c.cores = (int)ceil(cores_used(lab, &all) - 0.05);
    c.gflops *= c.cores;
    c.best *= c.cores;
    return c;
}

// Twice the measured peak: it may have been measured while another program had every other core, or
// half of this one. Where there is none, several times what any core or device of today has.
static double impossible_gflops(double best, bool one_core)
{
    return best > 0 ? 2 * best : one_core ? 3e3 : 1e6;
}

// A kernel is verified every time that it runs; but a clock can be wrong, or be made to be.
void refuse_impossible_speed(struct lab *lab)
{
    double best = of_one_core(lab).best;
    bool cpu = strcmp(lab->backend, "cpu") == 0;
    for (int r = 0; r < timed_runs(lab) && !is_emulated(lab); r++) {
        const struct times *t = &lab->times[r];
        double cores = cpu ? cores_used(lab, t) : 1;  // a peak is that of one
        double speed = gflops(lab, t->kernel + 1e-3); // clocks tell a microsecond, no less
        if (speed <= cores * impossible_gflops(best, cpu))
            continue;
        lab->impossible = true;
        if (best > 0)
            exit_with(
                EXIT_WRONG,
                "impossible: %.*f GFLOP/s, where %.*f were measured at most. Was the machine busy "
                "then? make -C .. ceilings measures anew; else the clock, or the kernel, cheats",
                decimals(speed), speed, decimals(best), best);
        exit_with(EXIT_WRONG,
                  "impossible: %.*f GFLOP/s, which no device has: the clock, or the kernel, cheats",
                  decimals(speed), speed);
    }
}
