// SPDX-License-Identifier: MIT
// What a large problem needs: a verification that does not take as long as the product, limits,
// patience.
#ifndef LARGE_H
#define LARGE_H

#include "fill.h"

struct lab;

// ---- freivalds.c: C as a whole, in O(n^2) -----------------------------------------------------
// Marks the rows of C that are wrong, and returns how many.
long freivalds(const struct problem *p, bool *failed);
uint64_t random64(uint64_t index);

// ---- limits.c ---------------------------------------------------------------------------------
// Exit 2 where memory does not suffice for the problem, `copies` times, or the kernels' ints.
void require_size(struct tile tile, int M, int N, int K, double copies);

// ---- announce.c -------------------------------------------------------------------------------
// Of the small problem that says how long the one asked for will take; 0: that is not large.
int size_to_announce(const struct lab *lab);
// On stderr, after a run of so many ms, where it is one that tells, and the wait is long.
void announce(const struct lab *lab, double ms);
#endif
