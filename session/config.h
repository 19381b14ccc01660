// SPDX-License-Identifier: MIT
// What is known of a program when it is built.
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// What make knows, in config.c.
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

extern const char instructions[]; // instructions.c: the set that the kernel is compiled for
// What the library that the kernel calls says it is; "" where it calls none (baseline/).
extern char used_library[160];

#ifdef __cplusplus
}
#endif
#endif
