// SPDX-License-Identifier: MIT
// What make knows of a build. It writes build/config.c, so that another setting compiles that file alone.
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// What make tune found for a program, where its lab takes that.
struct tuned {
    const char *variant;  // "" for ./gemm; NULL ends the list
    const char *found;    // GROUP_X=8
    const char *settings; // what was given on make's command line, and this
    const char *device;   // for which it was found
};

// What a program may round A and B to.
struct rounding {
    const char *variant; // "" for ./gemm; NULL ends the list
    const char *name;    // TF32, BF16; "": it may not round
    double roundoff;     // of that; 0
};

struct config {
    const char *lab;      // the name of its folder
    const char *folder;   // its path
    const char *ceilings; // a file: see read_ceilings() in ceilings.c
    const char *type;     // float, double or int
    const char *settings; // the tunables on make's command line, BLOCK=8; "" if none
    const char
        *unfinished; // why the lab's own kernel is not done yet: kernel.c:12 still says TODO; or ""
    bool needs_avx2; // AVX2 and FMA
    bool needs_avx512;                // its foundation, AVX-512F
    bool uses_simde;                  // it has C in the place of intrinsics
    bool tensor_cores;                // are they what multiplies?
    const struct rounding *roundings; // or NULL
    const struct tuned *tuned;        // or NULL
};
extern const struct config config;

#ifdef __cplusplus
}
#endif
#endif
