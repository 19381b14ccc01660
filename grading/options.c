// SPDX-License-Identifier: MIT
// The command line of the judge, and its seeds, which come by the environment.
#include "judge.h"

#include <limits.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("judge: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_USAGE);
}

static void parse_seed(const char *text, unsigned char seed[SEED_BYTES])
{
    size_t size;
    if (sodium_hex2bin(seed, SEED_BYTES, text, strlen(text), NULL, &size, NULL) != 0 ||
        size != SEED_BYTES)
        give_up("a seed is %d hexadecimal digits, not '%s'", 2 * SEED_BYTES, text);
}

// Of the environment, which others cannot read, and which no worker gets.
static void take_seed(const char *name, unsigned char seed[SEED_BYTES])
{
    const char *text = getenv(name);
    if (text != NULL)
        parse_seed(text, seed);
    unsetenv(name);
}

static int parse_number(const char *text, int least, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < least || value > most)
        give_up("'%s' is no number from %d to %d", text, least, most);
    return (int)value;
}

struct asked read_options(char **words)
{
    struct asked opt = {.plan = "shapes", .few = "", .tile = {1, 1, 1}, .size = 512, .rounds = 7};
    opt.limit_ms = 10000;
    opt.total_ms = INT_MAX;
    randombytes_buf(opt.seed, SEED_BYTES); // of the kernel's entropy
    memcpy(opt.class_seed, opt.seed, SEED_BYTES);
    take_seed("GEMM_SEED", opt.seed);
    take_seed("GEMM_CLASS_SEED", opt.class_seed);
    for (; words[0] != NULL && strncmp(words[0], "--", 2) == 0; words += 2) {
        const char *name = words[0], *value = words[1];
        if (value == NULL)
            give_up("%s needs a value", name);
        if (strcmp(name, "--plan") == 0)
            opt.plan = value;
        else if (strcmp(name, "--few") == 0)
            opt.few = value;
        else if (strcmp(name, "--tile") == 0) {
            if (sscanf(value, "%d,%d,%d", &opt.tile.m, &opt.tile.n, &opt.tile.k) != 3)
                give_up("--tile is M,N,K, not '%s'", value);
        } else if (strcmp(name, "--size") == 0)
            opt.size = parse_number(value, 16, 4096);
        else if (strcmp(name, "--rounds") == 0)
            opt.rounds = parse_number(value, 1, 100);
        else if (strcmp(name, "--limit") == 0)
            opt.limit_ms = parse_number(value, 1, 1000000);
        else if (strcmp(name, "--cores") == 0)
            opt.cores = parse_number(value, 0, 1024);
        else if (strcmp(name, "--clock") == 0)
            opt.clock = strcmp(value, "processor") == 0 ? PROCESSOR : WALL;
        else if (strcmp(name, "--total") == 0)
            opt.total_ms = parse_number(value, 1, INT_MAX);
        else if (strcmp(name, "--memory") == 0)
            opt.most_mib = parse_number(value, 0, 1 << 20);
        else if (strcmp(name, "--in_place") == 0)
            opt.in_place = parse_number(value, 0, 1) == 1;
        else if (strcmp(name, "--gpu") == 0)
            opt.gpu = parse_number(value, 0, 1) == 1;
        else if (strcmp(name, "--in_c") == 0)
            opt.in_c = parse_number(value, 0, 1) == 1;
        else if (strcmp(name, "--without") == 0)
            opt.without = (unsigned)parse_number(value, 0, 255);
        else if (strcmp(name, "--record") == 0)
            opt.record = value;
        else if (strcmp(name, "--log") == 0)
            opt.log = value;
        else
            give_up("no option %s", name);
    }
    opt.worker = words;
    for (; *words != NULL; words++)
        if (strcmp(*words, "::") == 0) {
            *words = NULL;
            opt.reference = words + 1;
            break;
        }
    if (opt.record == NULL || opt.worker[0] == NULL)
        give_up(
            "judge [OPTION VALUE ...] --record FILE WORKER [WORD ...] [:: REFERENCE [WORD ...]]");
    return opt;
}
