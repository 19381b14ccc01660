// SPDX-License-Identifier: MIT
// What the session does about a wrong result.
#ifndef FAILURE_H
#define FAILURE_H

#include "session/session.h"

// ---- trials.c: a wrong run is done again ------------------------------------------------------
void begin_trials(struct session *s);
bool end_trial(struct session *s, double ms); // false: that was the last one

// ---- failure.c: what is said of it ------------------------------------------------------------
void fail_problem(struct session *s); // its result is wrong
// Its process ended in a run: how, as in s->ended, and why.
void fail_by_end(struct session *s, const char *how, const char *why);
void conclude_failure(struct session *s); // after the last problem
#endif
