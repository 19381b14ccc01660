// SPDX-License-Identifier: MIT
// What the session does about a wrong result.
#ifndef FAILURE_H
#define FAILURE_H

#include "lab.h"

// ---- trials.c: a wrong run is done again ------------------------------------------------------
void begin_trials(struct lab *lab, const struct findings *f);
bool end_trial(struct lab *lab, double ms); // false: that was the last one

// ---- failure.c: what is said of it ------------------------------------------------------------
void fail_problem(struct lab *lab); // its result is wrong
// Its process ended in a run: how, as in lab->ended, and why.
void fail_by_end(struct lab *lab, const char *how, const char *why);
void conclude_failure(struct lab *lab); // after the last problem
#endif
