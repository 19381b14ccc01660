// SPDX-License-Identifier: MIT
// Chooses the device. A CPU lab has one, a GPU lab lists those that its API finds.
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

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

void require_cpu(void)
{
#ifdef __x86_64__
    const bool avx512 = strcmp(instructions, "avx512") == 0,
               avx2 = strcmp(instructions, "avx2") == 0;
    if (avx2 && (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")))
        exit_with(EXIT_SKIPPED, "skipped: this CPU has no AVX2 and FMA");
    if (avx512 && !__builtin_cpu_supports("avx512f"))
        exit_with(EXIT_SKIPPED, "skipped: this CPU has no AVX-512");
#endif
}

void choose_cpu(struct session *s)
{
    char facts[1][256];
    name_cpu(s->lab->device, sizeof s->lab->device);
    snprintf(facts[0], sizeof facts[0], "CPU, %ld cores, %.0f MiB of memory",
             sysconf(_SC_NPROCESSORS_ONLN),
             (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 20));
    choose_device(s->lab, 1, &s->lab->device, facts, 0);
}

static bool contains(const char *name, const char *part) // whatever the case
{
    for (; *name != '\0'; name++)
        if (strncasecmp(name, part, strlen(part)) == 0)
            return true;
    return false;
}

int choose_device(struct lab *lab, int count, char (*names)[256], char (*facts)[256], int standard)
{
    const struct options *opt = &lab->session->opt;
    if (opt->list_devices) {
        for (int d = 0; d < count; d++)
            printf("%c %d  %s\n     %s\n", d == standard ? '*' : ' ', d, names[d], facts[d]);
        ending.decided = true;
        exit(EXIT_SUCCESS);
    }
    if (opt->device == NULL)
        return standard;
    char *end;
    long index = strtol(opt->device, &end, 10);
    if (*end == '\0' && index >= 0 && index < count)
        return (int)index;
    // 3080 is no index, but may be part of a name; -1 is neither.
    for (int d = 0; d < count && (*end != '\0' || index >= 0); d++)
        if (contains(names[d], opt->device))
            return d;
    exit_with(EXIT_USAGE, "no device '%s' here: --list-devices names those there are", opt->device);
}
