// SPDX-License-Identifier: MIT
// What records are made of.
#ifndef JSON_H
#define JSON_H

#include "diagnosis/findings.h"

// A string; NULL is null. Bytes that are no ASCII, as in a driver's message, become a question
// mark.
void put_string(FILE *out, const char *text);
void put_number(FILE *out, double x, bool known); // null where it is not known, or not finite
void put_finding(FILE *out, const struct findings *f, struct cause cause);
#endif
