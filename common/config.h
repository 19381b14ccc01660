// SPDX-License-Identifier: MIT
// What make knows of a program. It says so to config.c alone, so that another setting compiles no other file.
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
    const char *lab;        // the name of its folder
    const char *folder;     // its path
    const char *ceilings;   // a file: see read_ceilings() in ceilings.c
    const char *type;       // float, double or int
    const char *given;      // the tunables on make's command line, BLOCK=8; "" if none
    const char *settings;   // these, and those that make tune found
    const char *unfinished; // why its kernel is not done yet: kernel.c:12 still says TODO; or ""
    bool uses_simde;        // it has C in the place of intrinsics
    // Of an advanced lab; "" and 0 in the others.
    bool tensor_cores;     // are they what multiplies?
    const char *rounding;  // what it may round A and B to: TF32, BF16
    double roundoff;       // of that
    const char *tuned;     // what make tune found: GROUP_X=8
    const char *tuned_for; // the device for which it did
};
extern const struct config config;

#ifdef __cplusplus
}
#endif
#endif
