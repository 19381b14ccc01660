// SPDX-License-Identifier: MIT
// What the device can do at most, as `make ceilings` measured it; and speeds beyond that.
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
static struct ceilings of_one_core(const struct session *s)
{
    struct ceilings c = {0};
    char line[512], start[400];
    int length =
        snprintf(start, sizeof start, "%s\t%s\t%s\t", s->lab->backend, s->lab->device, config.type);
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
static double cores_used(const struct session *s, const struct times *t)
{
    double cores = t->cpu / t->kernel, all = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (s->ranks.count > 0) // they may be on several machines
        all = s->ranks.cores;
    return !(cores > 1) ? 1 : cores < all ? cores : all;
}

static int whole(double cores)
{
    return (int)ceil(cores - 0.05);
}

int decimals(double value)
{
    int count = 3;
    for (; value >= 10 && count > 0; count--)
        value /= 10;
    for (; value > 0 && value < 1 && count < 9; count++)
        value *= 10;
    return count;
}

struct ceilings read_ceilings(const struct session *s)
{
    struct ceilings c = of_one_core(s);
    struct times all = {0};
    if (strcmp(s->lab->backend, "cpu") != 0)
        return c;
    for (int r = 0; r < s->lab->run - 2; r++) {
        all.cpu += s->times[r].cpu;
        all.kernel += s->times[r].kernel + 1e-3; // clocks tell a microsecond, no less
    }
    c.cores = whole(cores_used(s, &all));
    c.gflops *= c.cores;
    c.best *= c.cores;
    return c;
}

// Several times the speed of any core or device of today: a clock can be wrong, or be made to be.
// More than twice the measured peak is weaker evidence: it may have been measured while a program
// had the cores, or by a compiler that leaves the multiply-adds of ceilings/ slow. No speed is
// claimed then; the result is right all the same.
void judge_speed(struct session *s)
{
    double best = of_one_core(s).best;
    bool cpu = strcmp(s->lab->backend, "cpu") == 0;
    for (int r = 0; r < timed_runs(s) && !is_emulated(s); r++) {
        const struct times *t = &s->times[r];
        double cores = cpu ? cores_used(s, t) : 1;  // a peak is that of one
        double speed = gflops(s, t->kernel + 1e-3); // clocks tell a microsecond, no less
        if (speed > (cpu ? cores * 3e3 : 1e6)) {
            snprintf(s->no_speed, sizeof s->no_speed,
                     "%.*f GFLOP/s is more than any device reaches", decimals(speed), speed);
            exit_with(EXIT_WRONG, "impossible: %s: the clock is wrong or was manipulated",
                      s->no_speed);
        }
        if (best > 0 && speed > 2 * cores * best)
            snprintf(s->no_speed, sizeof s->no_speed,
                     "%.*f GFLOP/s is more than twice the measured peak of %.*f", decimals(speed),
                     speed, decimals(whole(cores) * best), whole(cores) * best);
    }
}
