// SPDX-License-Identifier: MIT
// The command line of every lab's ./gemm.
#include "session/session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: ./gemm [SIZE | M N K] [options]     C (MxN) = A (MxK) * B (KxN)\n"
    "  SIZE, M, N, K         1024 or 2^10; default 1024\n"
    "  --check               verify a battery of shapes instead of one size\n"
    "  --rehearse            small odd shapes first: what they show, a square may hide\n"
    "  --once                one run, verified and not timed: for tools that watch it; takes\n"
    "                        more than one M N K\n"
    "  --reps R              timed repetitions, 1 to 1000; default: 3 to 20, a second\n"
    "  --error               print the error, too: mean and largest, against double\n"
    "  --no-warmup           timed runs alone: none to verify only, none to warm up\n"
    "  --seed S              of the random inputs; default 1\n"
    "  --csv FILE            append one row per timed repetition\n"
    "  --json FILE           write what happened, see docs/records.md\n"
    "  --device INDEX|NAME   which device; default: a GPU if there is one\n"
    "  --list-devices        print the devices and stop\n"
    "  --binary FILE         OpenCL: write the compiled program (PTX on NVIDIA)\n"
    "  --help                print this and stop\n"
    "exit status: 0 verified, 1 wrong result, 2 bad usage or impossible, 77 skipped\n";

// Parses "1024" or "2^10"; a value above `max` becomes `max` + 1. False: not a whole number.
static bool parse_power(const char *text, long max, long *value)
{
    char *end;
    *value = strtol(text, &end, 10);
    if (end == text || *end != '^')
        return end != text && *end == '\0';
    const char *digits = end + 1;
    long base = *value, exponent = strtol(digits, &end, 10);
    if (end == digits || *end != '\0' || base < 0 || exponent < 0)
        return false;
    *value = base == 0 && exponent > 0 ? 0 : 1;
    while (exponent-- > 0 && base > 1 && *value <= max)
        *value = *value > max / base ? max + 1 : *value * base;
    return true;
}

// A whole number between min and max. `what` names it in the message.
static int parse_int(const char *text, const char *what, long min, long max)
{
    long value;
    errno = 0;
    if (!parse_power(text, max, &value))
        exit_with(EXIT_USAGE,
                  "%s '%s' is not a whole number: write 1024 or 2^10 (see ./gemm --help)", what,
                  text);
    if (errno == ERANGE || value < min || value > max)
        exit_with(EXIT_USAGE, "%s %s is out of range: give %ld to %ld", what, text, min, max);
    return (int)value;
}

static const char *argument(char **argv, int *i)
{
    if (argv[*i + 1] == NULL || argv[*i + 1][0] == '\0')
        exit_with(EXIT_USAGE, "%s needs a value (see ./gemm --help)", argv[*i]);
    return argv[++*i];
}

void parse_options(struct options *opt, int argc, char **argv)
{
    *opt = (struct options){.seed = 1};
    int *const sizes = opt->sizes, count = 0;
    const char *fourth = NULL;
    sizes[0] = 1024;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--help") == 0) {
            fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        } else if (strcmp(arg, "--check") == 0)
            opt->check = true;
        else if (strcmp(arg, "--once") == 0)
            opt->once = true;
        else if (strcmp(arg, "--rehearse") == 0)
            opt->rehearse = true;
        else if (strcmp(arg, "--error") == 0)
            opt->error = true;
        else if (strcmp(arg, "--list-devices") == 0)
            opt->list_devices = true;
        else if (strcmp(arg, "--reps") == 0)
            opt->reps = parse_int(argument(argv, &i), "--reps", 1, MAX_REPS);
        else if (strcmp(arg, "--no-warmup") == 0)
            opt->no_warmup = true;
        else if (strcmp(arg, "--seed") == 0)
            opt->seed = (uint32_t)parse_int(argument(argv, &i), "--seed", 0, INT_MAX);
        else if (strcmp(arg, "--csv") == 0)
            opt->csv = argument(argv, &i);
        else if (strcmp(arg, "--json") == 0)
            opt->json = argument(argv, &i);
        else if (strcmp(arg, "--device") == 0)
            opt->device = argument(argv, &i);
        else if (strcmp(arg, "--binary") == 0)
            opt->binary = argument(argv, &i);
        else if (strncmp(arg, "--", 2) == 0)
            exit_with(EXIT_USAGE, "unknown option '%s' (see ./gemm --help)", arg);
        else if (count == 3 * MAX_ONCE)
            exit_with(EXIT_USAGE, "too many sizes at '%s'", arg);
        else {
            fourth = count == 3 ? arg : fourth;
            sizes[count++] = parse_int(arg, "size", 1, INT_MAX);
        }
    }
    if (count > 3 && !(opt->once && count % 3 == 0))
        exit_with(EXIT_USAGE, "too many sizes at '%s': give one SIZE, or M N K", fourth);
    if (count == 2)
        exit_with(EXIT_USAGE, "two sizes are ambiguous: give one SIZE, or M N K");
    if (count > 0 && opt->check)
        exit_with(EXIT_USAGE, "--check brings its own shapes: leave the size out");
    if (count < 3)
        sizes[1] = sizes[2] = sizes[0];
    opt->M = sizes[0];
    opt->N = sizes[1];
    opt->K = sizes[2];
    opt->problems = count < 3 ? 1 : count / 3;
}
