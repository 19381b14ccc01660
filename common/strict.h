// SPDX-License-Identifier: MIT
// Included by what compares with NaN. Under -ffast-math there is no NaN, and every wrong C is
// right.
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
#error                                                                                             \
    "the verification must not be compiled with -ffast-math or -ffinite-math-only: not even by CC"
#endif
