// SPDX-License-Identifier: MIT
// Why is C wrong? The parent of guest/guest.h, or the judge, asks once, after the verdict.
//
//     trials.c     a wrong run is done again, with one thing changed at a time
//     diagnose.c   the likely cause of what was found; with compare.c, mistakes.c and others
//     explain.c    what is wrong, for people
//
// and in failure.h what a session does about it.
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "diagnosis/findings.h"

enum { OF_A = 1, OF_B = 2 };

void begin_findings(const struct problem *p, struct findings *f); // about a problem: nothing yet

// Fills in the last part of the findings, with f->cause, for a C that verify() found to be wrong. p
// has A, B and C as they were then; the trials were done.
void diagnose(const struct problem *p, struct findings *f);
// The mistake that explains all wrong elements, or none.
struct cause computed_cause(const struct problem *p, struct findings *f);
// f->cause, or a cause that follows from the shapes that were tried: those of the battery, or one.
struct cause likely_cause(const struct findings *f, const struct outcome *outcomes, int count);

// What a wrong result may depend on is changed: zeros around an input, ones in C. Guards and poison
// are there.
void prepare_trial(struct problem *p, enum trial trial);

void explain(const struct problem *p, const struct findings *f, FILE *out);
// A label, and behind it words in lines of 80 columns.
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void print_wrapped(FILE *out, const char *label, const char *format, ...);

#endif
