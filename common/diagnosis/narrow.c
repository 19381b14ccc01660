// SPDX-License-Identifier: MIT
// Is it narrower arithmetic? Each sum is computed again with fewer bits, in the operands or in the
// sum, and that is compared with what is there: the narrowing is named that explains nearly all of
// the error.
#include "diagnosis/cause.h"
#include "strict.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FEWEST = 4, FLOAT = 24, SIZES = FLOAT - FEWEST + 1, LEAST_STEP = -20, STEPS = 29 };
enum rounding { TO_EVEN, AWAY, CUT, TO_STEP, ROUNDINGS = TO_STEP };
enum operands { A_ALONE = 1, B_ALONE, BOTH, OPERANDS = BOTH };
static const int of_sums[] = {8, 11, FLOAT}; // bits of bfloat16, of half precision, of a float
enum { SUMS = sizeof of_sums / sizeof of_sums[0], WAYS = 4 };
enum { BITS = ROUNDINGS * SIZES, OF_OPERANDS = OPERANDS * (BITS + STEPS) };
enum { NARROWINGS = OF_OPERANDS + SUMS * WAYS };

static const struct cause none = {NULL, ""};

struct narrowing {
    enum rounding rounding;
    int bits;     // or the exponent of a step, of which all are multiples
    int operands; // which of them; 0: none
    bool products, sums;
};

static struct narrowing narrowing(int number)
{
    const int operands = A_ALONE + number % OPERANDS, of = number / OPERANDS;
    if (of < BITS)
        return (struct narrowing){(enum rounding)(of / SIZES), FEWEST + of % SIZES, operands, false,
                                  false};
    if (number < OF_OPERANDS)
        return (struct narrowing){TO_STEP, LEAST_STEP + of - BITS, operands, false, false};
    number -= OF_OPERANDS;
    return (struct narrowing){TO_EVEN, of_sums[number / WAYS], (number & 1) != 0 ? BOTH : 0,
                              (number & 2) != 0, true};
}

static double narrowed(double x, const struct narrowing *n)
{
    if (n->rounding == TO_STEP)
        return ldexp(rint(ldexp(x, -n->bits)), n->bits);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int dropped = 53 - n->bits;
    const uint64_t half = (uint64_t)1 << (dropped - 1);
    if (n->rounding == TO_EVEN)
        bits += half - 1 + (bits >> dropped & 1);
    else if (n->rounding == AWAY)
        bits += half;
    bits &= ~(2 * half - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double narrow_sum(const struct problem *p, const struct sample *at,
                         const struct narrowing *n)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)p->K; k++) {
        double a = (double)p->A.data[at->i * (size_t)p->K + k];
        double b = (double)p->B.data[k * (size_t)p->N + at->j];
        double product = ((n->operands & A_ALONE) != 0 ? narrowed(a, n) : a) *
                         ((n->operands & B_ALONE) != 0 ? narrowed(b, n) : b);
        sum += n->products ? narrowed(product, n) : product;
        if (n->sums)
            sum = narrowed(sum, n);
    }
    return sum;
}

// Returns the share of the squared errors that a narrowing leaves unexplained, or 1 as soon as it
// is a half.
static double unexplained(const struct evidence *e, const struct narrowing *n)
{
    double squares = 0, left = 0;
    for (int s = 0; s < e->count; s++) {
        const struct sample *at = &e->samples[s];
        const double error = at->got - at->right, rest = at->got - narrow_sum(e->p, at, n);
        squares += error * error;
        left += rest * rest;
        if (!(fabs(error) <= at->magnitude / 2) || !(left <= squares / 2)) // rounding is no worse
            return 1;
    }
    return left / squares;
}

static double as_half(double x)
{
    const struct narrowing n = {.rounding = TO_EVEN, .bits = 11};
    const double half = narrowed(x, &n);
    return fabs(half) > 65504 ? copysign(INFINITY, half) : half;
}

// With infinite operands most sums are NaN. All others must be the sums of half precision.
struct cause only_half(const struct evidence *e)
{
    const size_t K = (size_t)e->p->K, N = (size_t)e->p->N;
    long same = 0;
    if (e->f->nan == 0 || (double)elements_of(&e->p->C) * (double)K > 1 << 24)
        return none;
    for (size_t at = 0; at < elements_of(&e->p->C); at++) {
        const double got = (double)e->p->C.data[at];
        double sum = 0;
        if ((e->f->marks[at] & WRONG) == 0 || isnan(got))
            continue;
        for (size_t k = 0; k < K; k++)
            sum += as_half((double)e->p->A.data[at / N * K + k]) *
                   as_half((double)e->p->B.data[k * N + at % N]);
        if (got != sum && !(fabs(got - sum) <= 1e-6 * fabs(sum)))
            return none;
        same++;
    }
    return same < 4
               ? none
               : caused("narrow", "A and B have half precision, whose largest number is 65504: "
                                  "some sums are infinite");
}

static const char *type_of(int bits)
{
    return bits == 8       ? " (bfloat16)"
           : bits == 11    ? " (half, TF32)"
           : bits == FLOAT ? " (float)"
                           : "";
}

// The narrowing that explains most, if that is nearly all. With few elements one fits by chance.
struct cause only_narrowing(const struct evidence *e)
{
    double least = 1;
    struct narrowing n = narrowing(0);
    if (e->f->wrong < 16 || e->count < 8)
        return none;
    for (int m = 0; m < NARROWINGS; m++) {
        const struct narrowing one = narrowing(m);
        const double left = unexplained(e, &one);
        if (left < least) {
            least = left;
            n = one;
        }
    }
    if (least > 1.0 / 16)
        return none;
    static const char *const operands[] = {"", "A has", "B has", "A and B have"};
    const char *close = "close, but too far: narrower arithmetic";
    if (n.rounding == TO_STEP)
        return caused("narrow", "%s: %s multiples of 2^%d alone", close, operands[n.operands],
                      n.bits);
    return caused("narrow", "%s: %s %d bits%s", close,
                  n.sums ? "each sum has" : operands[n.operands], n.bits, type_of(n.bits));
}
