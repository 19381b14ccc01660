// SPDX-License-Identifier: MIT
// A library that is loaded when the program runs. LIBRARY is its file: make has found it.
#ifndef LIBRARY_H
#define LIBRARY_H

#include "lab.h"
#include "session/config.h"

#include <dlfcn.h>
#include <string.h>

static inline void *open_library(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        exit_with(EXIT_SKIPPED, "skipped: %s", dlerror());
    return library;
}

// One of its functions, to be cast to what it is.
static inline void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (function == NULL)
        exit_with(EXIT_SKIPPED, "skipped: %s has no %s: it is of another kind", LIBRARY, name);
    return function;
}

// A library that is told to use what the CPU lacks would crash.
static inline void require_instructions(void)
{
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        exit_with(EXIT_SKIPPED, "skipped: this CPU has no AVX2 and FMA");
    if (strcmp(instructions, "avx512") == 0 &&
        !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")))
        exit_with(EXIT_SKIPPED, "skipped: this CPU has no AVX-512");
#else
    exit_with(EXIT_SKIPPED, "skipped: it is told to use AVX, which takes an x86-64 CPU");
#endif
}
#endif
