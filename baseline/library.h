// SPDX-License-Identifier: MIT
// A library that is loaded when the program runs. LIBRARY is its file: make has found it.
#ifndef LIBRARY_H
#define LIBRARY_H

#include "lab.h"

#include <dlfcn.h>

static inline void *open_library(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        leave(EXIT_SKIPPED, "skipped: %s", dlerror());
    return library;
}

// One of its functions, to be cast to what it is.
static inline void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (function == NULL)
        leave(EXIT_SKIPPED, "skipped: %s has no %s: it is of another kind", LIBRARY, name);
    return function;
}
#endif
