// SPDX-License-Identifier: MIT
// Is it narrower arithmetic? Each sum is computed again with fewer bits, in the operands or in the
// sum, and that is compared with what is there: the narrowing is named that explains nearly all of
// the error.
#include "diagnosis/cause.h"
#include "strict.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FEWEST = 4, FLOAT = 24, SIZES = FLOAT - FEWEST + 1, LEAST_STEP = -20, STEPS = 29 };
enum rounding { TO_EVEN, AWAY, CUT, TO_STEP, ROUNDINGS = TO_STEP };
enum operands { A_ALONE = 1, B_ALONE, BOTH, OPERANDS = BOTH };
static const int of_sums[] = {8, 11, FLOAT}; // bits of bfloat16, of half precision, of a float
enum { SUMS = sizeof of_sums / sizeof of_sums[0], WAYS = 4 };
enum { BITS = ROUNDINGS * SIZES, OF_OPERANDS = OPERANDS * (BITS + STEPS) };
static_assert(NARROWINGS == OF_OPERANDS + SUMS * WAYS, "one of each");

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

static double narrow_sum(const struct problem *p, const struct place *at, const struct narrowing *n)
{
    double sum = 0;
    for (size_t k = 0; k < at->K; k++) {
        double a = (double)p->A.data[at->row * at->K + k];
        double b = (double)p->B.data[k * at->N + at->col];
        double product = ((n->operands & A_ALONE) != 0 ? narrowed(a, n) : a) *
                         ((n->operands & B_ALONE) != 0 ? narrowed(b, n) : b);
        sum += n->products ? narrowed(product, n) : product;
        if (n->sums)
            sum = narrowed(sum, n);
    }
    return sum;
}

// What explains less than half of what was seen by now is no longer of interest.
void probe_narrow(const struct problem *p, struct findings *f, const struct place *at, double got,
                  double expected, double magnitude)
{
    const double error = got - expected;
    const bool near = fabs(error) <= magnitude / 2; // rounding is no worse
    f->squares += error * error;
    for (int m = 0; m < NARROWINGS; m++) {
        if (isinf(f->unexplained[m]))
            continue;
        const struct narrowing n = narrowing(m);
        const double left = near ? got - narrow_sum(p, at, &n) : INFINITY;
        f->unexplained[m] += left * left;
        if (!(f->unexplained[m] <= f->squares / 2))
            f->unexplained[m] = INFINITY;
    }
}

static const char *type_of(int bits)
{
    return bits == 8       ? " (bfloat16)"
           : bits == 11    ? " (half, TF32)"
           : bits == FLOAT ? " (float)"
                           : "";
}

// The one that explains most, and nearly all. Of a few elements some fits by chance.
struct cause only_narrowing(const struct findings *f)
{
    struct cause cause = {NULL, ""};
    int best = 0;
    for (int m = 1; m < NARROWINGS; m++)
        if (f->unexplained[m] < f->unexplained[best])
            best = m;
    if (f->wrong < 16 || f->probed < 8 || isinf(f->unexplained[best]) ||
        !(f->unexplained[best] <= f->squares / 16))
        return cause;
    static const char *const operands[] = {"", "A has", "B has", "A and B have"};
    const struct narrowing n = narrowing(best);
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
