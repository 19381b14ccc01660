// SPDX-License-Identifier: MIT
// Command lines, shapes and random numbers of judge and pairs.
#include "judge.h"

#include <stdlib.h>
#include <string.h>

// ---- random numbers ---------------------------------------------------------------------------
static uint64_t key[2];

static uint64_t turn(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1], v[1] = turn(v[1], 13) ^ v[0], v[0] = turn(v[0], 32);
    v[2] += v[3], v[3] = turn(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = turn(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = turn(v[1], 17) ^ v[2], v[2] = turn(v[2], 32);
}

// J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012; of 8 bytes.
uint64_t draw(void)
{
    static uint64_t count;
    uint64_t v[] = {key[0] ^ 0x736F6D6570736575u, key[1] ^ 0x646F72616E646F6Du,
                    key[0] ^ 0x6C7967656E657261u, key[1] ^ 0x7465646279746573u};
    const uint64_t words[] = {count++, (uint64_t)8 << 56};
    for (int w = 0; w < 2; w++) {
        v[3] ^= words[w];
        mix(v), mix(v);
        v[0] ^= words[w];
    }
    v[2] ^= 0xFF;
    mix(v), mix(v), mix(v), mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// The environment is private to this user, and no guest inherits it.
static void take_key(void)
{
    const char *text = getenv("GEMM_KEY");
    unsigned long long words[2];
    if (text == NULL || sscanf(text, "%16llx%16llx", &words[0], &words[1]) != 2)
        exit_with(EXIT_USAGE, "GEMM_KEY is to have 32 hexadecimal digits");
    key[0] = words[0];
    key[1] = words[1];
    unsetenv("GEMM_KEY");
}

// ---- shapes -----------------------------------------------------------------------------------
// Lines "M N K RUNS KIND".
static void read_shapes(struct asked *opt)
{
    enum { LINE = 64, MOST = 512 };
    struct outcome *shapes = scratch(MOST, sizeof *shapes);
    char *kinds = scratch(MOST, LINE);
    opt->shapes = shapes;
    opt->runs = scratch(MOST, sizeof *opt->runs);
    for (; opt->count < MOST; opt->count++) {
        struct outcome *shape = &shapes[opt->count];
        char *kind = kinds + (ptrdiff_t)LINE * opt->count;
        if (scanf("%d %d %d %d %63[^\n]", &shape->M, &shape->N, &shape->K, &opt->runs[opt->count],
                  kind) != 5)
            break;
        shape->group = kind;
        shape->method = "";
    }
    if (opt->count == 0)
        exit_with(EXIT_USAGE, "stdin has no shape, M N K RUNS KIND");
}

// ---- the command line -------------------------------------------------------------------------
static void take_option(struct asked *opt, const char *name, const char *value)
{
    const double number = strtod(value, NULL);
    if (strcmp(name, "--backend") == 0)
        opt->backend = value;
    else if (strcmp(name, "--tile") == 0) {
        if (sscanf(value, "%d,%d,%d", &opt->tile.m, &opt->tile.n, &opt->tile.k) != 3)
            exit_with(EXIT_USAGE, "--tile is M,N,K, not '%s'", value);
    } else if (strcmp(name, "--call") == 0)
        opt->call_ms = number;
    else if (strcmp(name, "--total") == 0)
        opt->total_ms = number;
    else if (strcmp(name, "--memory") == 0)
        opt->memory = (size_t)number << 20;
    else if (strcmp(name, "--copied") == 0)
        opt->is_copied = number > 0;
    else if (strcmp(name, "--gpu") == 0)
        opt->gpu = number > 0;
    else if (strcmp(name, "--cores") == 0)
        opt->cores = (int)number;
    else if (strcmp(name, "--clock") == 0)
        opt->clock = strcmp(value, "processor") == 0 ? PROCESSOR : WALL;
    else if (strcmp(name, "--record") == 0)
        opt->record = value;
    else if (strcmp(name, "--log") == 0)
        opt->log = value;
    else
        exit_with(EXIT_USAGE, "no option %s", name);
}

struct asked read_options(char **words)
{
    struct asked opt = {.backend = "cpu", .tile = {1, 1, 1}};
    take_key();
    for (; words[0] != NULL && strncmp(words[0], "--", 2) == 0; words += 2) {
        if (words[1] == NULL)
            exit_with(EXIT_USAGE, "%s needs a value", words[0]);
        take_option(&opt, words[0], words[1]);
    }
    opt.command = words;
    for (; *words != NULL; words++)
        if (strcmp(*words, "::") == 0) {
            *words = NULL;
            opt.reference = words + 1;
            break;
        }
    if (opt.record == NULL || opt.command[0] == NULL)
        exit_with(EXIT_USAGE, "usage: [--OPTION VALUE ...] --record FILE COMMAND [:: REFERENCE]");
    read_shapes(&opt);
    return opt;
}
