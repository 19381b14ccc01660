// SPDX-License-Identifier: MIT
// The session: command line -> problems -> runs. See lab.h for the order of the calls.
#include "lab.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static bool finished;

// A kernel that calls exit(0) must not pass for a verified one.
static void refuse_silent_success(void)
{
    if (!finished) {
        fprintf(stderr, "gemm: the kernel ended the program before its result was verified\n");
        _exit(EXIT_WRONG);
    }
}

void leave(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "gemm: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    finished = true;
    exit(status);
}

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void name_cpu(char *name, size_t size)
{
    char line[256];
    FILE *info = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "CPU");
    while (info != NULL && fgets(line, sizeof line, info) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(name, size, "%s", colon + 2);
            name[strcspn(name, "\n")] = '\0';
            break;
        }
    }
    if (info != NULL)
        fclose(info);
}

void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
    *lab = (struct lab){.backend = backend, .tile = tile};
    lab->variant = strncmp(name, "gemm_", 5) == 0 ? name + 5 : "";
    lab->alloc_ms = lab->context_ms = lab->build_ms = -1;
    if (lab->tile.n == INT_MAX) // whole rows: C ends nowhere inside a tile
        lab->tile.n = 1;
    parse_options(&lab->opt, argc, argv);
#if NEEDS_AVX2
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        leave(EXIT_SKIPPED, "skipped: this CPU has no AVX2 and FMA");
#endif
    open_csv(lab);
    if (strcmp(backend, "cpu") == 0) {
        name_cpu(lab->device, sizeof lab->device);
        char facts[1][256];
        snprintf(facts[0], sizeof facts[0], "CPU, %ld cores, %.0f MiB of memory",
                 sysconf(_SC_NPROCESSORS_ONLN),
                 (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 20));
        choose_device(&lab->opt, 1, &lab->device, facts, 0);
    }
    if (lab->opt.binary != NULL && strcmp(backend, "opencl") != 0)
        leave(EXIT_USAGE, "--binary is for the OpenCL labs: use make asm in this one");
    atexit(refuse_silent_success);
}

int choose_device(const struct options *opt, int count, char (*names)[256], char (*facts)[256],
                  int fallback)
{
    if (opt->list_devices) {
        for (int d = 0; d < count; d++)
            printf("%c %d  %s\n     %s\n", d == fallback ? '*' : ' ', d, names[d], facts[d]);
        finished = true;
        exit(EXIT_SUCCESS);
    }
    if (opt->device == NULL)
        return fallback;
    char *end;
    long index = strtol(opt->device, &end, 10);
    if (*end == '\0' && index >= 0 && index < count)
        return (int)index;
    for (int d = 0; d < count; d++)
        for (const char *at = names[d]; *at != '\0' && *end != '\0'; at++)
            if (strncasecmp(at, opt->device, strlen(opt->device)) == 0)
                return d;
    leave(EXIT_USAGE, "no device '%s' here: --list-devices names those there are", opt->device);
}

bool next_problem(struct lab *lab)
{
    int M = lab->opt.M, N = lab->opt.N, K = lab->opt.K;
    problem_free(&lab->problem);
    bool more = lab->opt.check ? battery_shape(lab->tile, lab->shape, &M, &N, &K) : lab->shape == 0;
    if (!more)
        return false;
    if (lab->opt.check) { // where a kernel crashes, the last line names the shape
        printf("check %2d  %d x %d x %d%s", lab->shape + 1, M, N, K, isatty(1) ? "\033[K\r" : "\n");
        fflush(stdout);
    }
    problem_create(&lab->problem, M, N, K);
    lab->shape++;
    lab->run = 0;
    lab->runs = 3;
    return true;
}

bool next_run(struct lab *lab)
{
    if (lab->run == lab->runs)
        return false;
    fill_inputs(&lab->problem, lab->run == 0 ? INTEGERS : UNIFORM,
                lab->opt.seed + (uint32_t)lab->run);
    poison_output(&lab->problem);
    return true;
}

bool is_emulated(const struct lab *lab)
{
    return strcmp(lab->backend, "emulated") == 0;
}

void end_run(struct lab *lab, struct times times)
{
    int timed = lab->run - 2; // runs 0 and 1 are for verification, and warm up
    if (timed == -1 && !lab->opt.check) {
        double fit = times.kernel > 0 ? 1000 / times.kernel : MAX_REPS;
        int reps = is_emulated(lab) ? 1 : fit < 3 ? 3 : fit > 20 ? 20 : (int)fit;
        lab->runs = 2 + (lab->opt.reps > 0 ? lab->opt.reps : reps);
    }
    if (timed >= 0)
        lab->times[timed] = times;
    if (timed < 0 || lab->run == lab->runs - 1) {
        struct findings findings;
        if (!verify(&lab->problem, &findings, &lab->method)) {
            explain(&lab->problem, &findings, lab->tile, stdout);
            fflush(stdout);
            finished = true;
            exit(EXIT_WRONG);
        }
    }
    lab->run++;
}

int lab_end(struct lab *lab)
{
    if (lab->opt.check)
        printf("PASS  %d shapes, %s%s\n", lab->shape, TYPE, isatty(1) ? "\033[K" : "");
    finished = true;
    return EXIT_SUCCESS;
}
