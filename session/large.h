// SPDX-License-Identifier: MIT
// What a large problem needs: a verification that does not take as long as the product, limits,
// patience.
#ifndef LARGE_H
#define LARGE_H

#include "session/session.h"

// ---- freivalds.c: C as a whole, in O(n^2) -----------------------------------------------------
// Of a judge: the vector and some rows of the check follow from it; 0: none.
extern uint64_t verification_secret;
#define JUDGED_PRODUCT                                                                             \
    (128.0 * 128 * 128) // in the place of SMALL_PRODUCT, as the secret does the rest

// ---- limits.c ---------------------------------------------------------------------------------
// Exit 2 where memory does not suffice for the problem, `copies` times, or the kernels' ints.
void require_size(struct tile tile, int M, int N, int K, double copies);

// ---- announce.c -------------------------------------------------------------------------------
// Of the small problem that says how long the one asked for will take; 0: that is not large.
int size_to_announce(const struct session *s);
// On stderr, after a run of so many ms, where it is one that tells, and the wait is long.
void announce(const struct session *s, double ms);
#endif
