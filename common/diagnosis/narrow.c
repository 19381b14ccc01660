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

// The part of the errors' squares that a narrowing leaves unexplained; 1 as soon as that is half of
// them.
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

static const char *type_of(int bits)
{
    return bits == 8       ? " (bfloat16)"
           : bits == 11    ? " (half, TF32)"
           : bits == FLOAT ? " (float)"
                           : "";
}

// The one that explains most, and nearly all. Of a few elements some fits by chance.
struct cause only_narrowing(const struct evidence *e)
{
    struct cause cause = {NULL, ""};
    double least = 1;
    struct narrowing n = narrowing(0);
    if (e->f->wrong < 16 || e->count < 8)
        return cause;
    for (int m = 0; m < NARROWINGS; m++) {
        const struct narrowing one = narrowing(m);
        const double left = unexplained(e, &one);
        if (left < least) {
            least = left;
            n = one;
        }
    }
    if (least > 1.0 / 16)
        return cause;
    static const char *const operands[] = {"", "A has", "B has", "A and B have"};
    cause.kind = "narrow";
    if (n.rounding == TO_STEP)
        snprintf(cause.text, sizeof cause.text,
                 "close, but too far: narrower arithmetic: %s multiples of 2^%d alone",
                 operands[n.operands], n.bits);
    else
        snprintf(cause.text, sizeof cause.text,
                 "close, but too far: narrower arithmetic: %s %d bits%s",
                 n.sums ? "each sum has" : operands[n.operands], n.bits, type_of(n.bits));
    return cause;
}
