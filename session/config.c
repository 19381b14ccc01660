// SPDX-License-Identifier: MIT
// What make knows of a program, as -D for this file alone: another setting compiles nothing else.
#include "session/config.h"

#define IN_QUOTES(word) #word
#define STRING(macro) IN_QUOTES(macro)

// Few have these.
#ifndef TENSOR_CORES
#define TENSOR_CORES 0
#endif
#ifndef ROUNDING
#define ROUNDING ""
#define ROUNDOFF 0
#endif
#ifndef TUNED
#define TUNED ""
#define TUNED_FOR ""
#define SETTINGS GIVEN
#endif

const struct config config = {
    .lab = LAB,
    .folder = FOLDER,
    .ceilings = CEILINGS,
    .type = STRING(real),
    .given = GIVEN,
    .settings = SETTINGS,
    .unfinished = UNFINISHED,
    .uses_simde = USES_SIMDE,
    .tensor_cores = TENSOR_CORES,
    .rounding = ROUNDING,
    .roundoff = ROUNDOFF,
    .tuned = TUNED,
    .tuned_for = TUNED_FOR,
};

char used_library[160];
