// SPDX-License-Identifier: MIT
// What the session does about a wrong result.
#ifndef FAILURE_H
#define FAILURE_H

#include "lab.h"

// ---- trials.c: a wrong run is done again ------------------------------------------------------
void begin_trials(struct lab *lab, const struct findings *f);
bool end_trial(struct lab *lab, double ms); // false: that was the last one

// ---- failure.c: what is said of it ------------------------------------------------------------
void fail_problem(struct lab *lab);     // its result is wrong
void conclude_failure(struct lab *lab); // after the last problem

// ---- trap.c: in some runs of the battery whoever touches what is outside A, B and C is stopped -
void lay_between_traps(struct lab *lab); // before the matrices are filled
void set_traps(struct lab *lab);         // before the kernel runs
void lift_traps(void);                   // after it
// What an access is and where it comes from, as far as the CPU says so; `at`: the context of a
// signal.
void describe_access(const void *at, struct stray *stray);

// ---- patience.c: a small problem that takes long may be a loop that does not end ---------------
void begin_patience(struct lab *lab);
void end_patience(void);
#endif
