// SPDX-License-Identifier: MIT
// Is C right?
#ifndef VERIFY_H
#define VERIFY_H

#include "fill.h"

struct findings; // what is wrong with it: findings.h

// Checks guards, inputs and C: every element of it where the problem is not too large, or with
// `quick` rows alone that Freivalds' test finds wrong. True if all is well; *method says how C was
// checked.
bool verify(const struct problem *p, bool quick, struct findings *f, const char **method);
// C alone: every element where M * N * K is at most `small`, else Freivalds' test, and with
// `sampled` some rows besides.
bool verify_product(const struct problem *p, double small, bool sampled, struct findings *f,
                    const char **method);
// Counts what was overwritten beside A, B and C; true: nothing.
bool guards_hold(const struct problem *p, struct findings *f);
void begin_findings(const struct problem *p, struct findings *f); // about a problem: nothing yet

// ---- tolerance.c ------------------------------------------------------------------------------
bool is_exact(const struct problem *p); // must C match bit for bit?
// An element of C may be wrong by this times the root of the sum of its products' squares.
double error_factor(const struct problem *p);
double rounding_factor(const struct problem *p); // the same of data whose sums are rounded
#endif
