// SPDX-License-Identifier: MIT
// How far off an element of C may be. The reference is computed in double.
//
// An element passes if |got - reference| <= c * sqrt(K) * u * s with c = 8, u the unit roundoff of
// `real` and s the root of the sum of the K products' squares. UNIFORM products have either sign,
// so that a sum of them is about as large as s, and so are those on the way to it: each of K
// roundings is off by a part of u s, and these errors add up like a random walk (N. Higham, T.
// Mary, "A new approach to probabilistic rounding error analysis", 2019). s is less than
// (|A||B|)ij, which grows as K does: with that in its place K numbers of 16 bits pass from K = 200
// on. Measured, as c: one sum after the other, with FMA or without, needs 0.3 in the mean (root of
// squares) and 4.3 at most, K from 1 to 8192, in up to 10^9 elements each; blocks, lanes, Kahan's
// sums and double need less. A and B rounded to 16 bits exceed 58 at K = 512 and 12 at 8192. For
// INTEGERS the bound is zero. Written as !(error <= bound), since every comparison with NaN is
// false.
//
// A tensor core truncates a sum where others round it. Such errors have one direction and add up,
// as K does: there it is 4 K u s. INTEGERS are the same as everywhere.
//
// Where the kernel may round A and B to a roundoff r (make's ROUNDING), each product may besides be
// off by 2 r of itself. These errors have either sign, and do not grow with the sum: they add up to
// less than 12 r s. Measured on a GPU with TF32: up to 0.9 of this bound at K = 2, and 0.2 from K =
// 64 on, where bfloat16 exceeds 1.5.
#include "verify.h"

#include <float.h>
#include <math.h>

static double unit_roundoff(void)
{
    return sizeof(real) == 8 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
}

bool is_exact(const struct problem *p)
{
    return p->set == INTEGERS || REAL_IS_INT;
}

double rounding_factor(const struct problem *p)
{
    double walk = sqrt((double)p->K), sums = p->tensor_cores ? 4 * walk * walk : 8 * walk;
    return sums * unit_roundoff() + 2 * p->roundoff * fmin(walk, 6);
}

double error_factor(const struct problem *p)
{
    return is_exact(p) ? 0 : rounding_factor(p);
}
