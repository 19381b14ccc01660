// SPDX-License-Identifier: MIT
// What the session does about a wrong result.
#ifndef FAILURE_H
#define FAILURE_H

#include "lab.h"

// ---- trials.c: a wrong run is done again ------------------------------------------------------
void begin_trials(struct lab *lab, const struct findings *f);
void prepare_trial(struct lab *lab);
bool end_trial(struct lab *lab, double ms); // false: that was the last one

// ---- failure.c: what is said of it ------------------------------------------------------------
void fail_problem(struct lab *lab);     // its result is wrong
void conclude_failure(struct lab *lab); // after the last problem

// ---- trap.c: in some runs of the battery whoever touches what is outside A, B and C is stopped -
void lay_between_traps(struct lab *lab); // before the matrices are filled
void set_traps(struct lab *lab);         // before the kernel runs
void lift_traps(void);                   // after it
#endif
