// SPDX-License-Identifier: MIT
// Is it lower precision? Each sum is computed again with fewer bits, in the operands, the products
// or the sum. The narrowing is named that explains nearly all of the error.
#include "diagnosis/cause.h"

#include <math.h>

enum { OPERAND_A = 1, OPERAND_B = 2, PRODUCTS = 4, SUMS = 8, PARTS = 16 };
enum { HALF_BITS = 11, FLOAT_BITS = 24, FIRST_STEP = -20, LAST_STEP = 8 };
static const double largest_half = 65504;
static const struct cause none = {NULL, ""};

struct narrowing {
    int parts;               // of the computation
    double (*round)(double); // rint, round or trunc
    int bits;
    bool step;      // they are multiples of 2^bits instead
    bool overflows; // a number that is too large for half precision becomes infinite
};

static double narrowed(double x, const struct narrowing *n, int part)
{
    int exponent;
    if ((n->parts & part) == 0)
        return x;
    frexp(x, &exponent);
    const int unit = n->step ? n->bits : exponent - n->bits;
    const double narrow = ldexp(n->round(ldexp(x, -unit)), unit);
    return n->overflows && fabs(narrow) > largest_half ? copysign(INFINITY, x) : narrow;
}

static double narrow_sum(const struct problem *p, size_t i, size_t j, const struct narrowing *n)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)p->K; k++) {
        const double a = narrowed((double)p->A.data[i * (size_t)p->K + k], n, OPERAND_A);
        const double b = narrowed((double)p->B.data[k * (size_t)p->N + j], n, OPERAND_B);
        sum = narrowed(sum + narrowed(a * b, n, PRODUCTS), n, SUMS);
    }
    return sum;
}

// Returns the share of the squared errors that a narrowing leaves unexplained, or 1 as soon as it
// is a half.
static double unexplained(const struct evidence *e, const struct narrowing *n)
{
    double squares = 0, left = 0;
    for (const struct sample *s = e->samples; s < e->samples + e->count; s++) {
        const double error = s->got - s->right, rest = s->got - narrow_sum(e->p, s->i, s->j, n);
        squares += error * error;
        left += rest * rest;
        if (!(fabs(error) <= s->magnitude / 2) || !(left <= squares / 2)) // rounding is no worse
            return 1;
    }
    return left / squares;
}

// With infinite operands most sums are NaN. All others must be the sums of half precision.
static bool is_half(const struct evidence *e, int operands)
{
    const struct narrowing half = {operands, rint, HALF_BITS, false, true};
    const size_t N = (size_t)e->p->N;
    long same = 0;
    for (size_t at = 0; at < elements_of(&e->p->C); at++) {
        const double got = (double)e->p->C.data[at];
        if ((e->f->found.marks[at] & WRONG) == 0 || isnan(got))
            continue;
        const double sum = narrow_sum(e->p, at / N, at % N, &half);
        if (got != sum && !(fabs(got - sum) <= 1e-6 * fabs(sum)))
            return false;
        same++;
    }
    return same >= 4;
}

static const char *const has[] = {"each product has", "A has", "B has", "A and B have"};

struct cause only_half(const struct evidence *e)
{
    const double products = (double)elements_of(&e->p->C) * (double)e->p->K;
    for (int operands = 3; e->f->nan > 0 && products <= 1 << 24 && operands > 0; operands--)
        if (is_half(e, operands))
            return caused("narrow",
                          "%s half precision, whose largest number is 65504: some sums "
                          "are infinite",
                          has[operands]);
    return none;
}

struct cause only_narrowing(const struct evidence *e)
{
    static double (*const rounds[])(double) = {rint, round, trunc};
    struct narrowing best = {0};
    double least = 1.0 / 16;                    // nearly all of the error is explained
    if (e->f->found.wrong < 16 || e->count < 8) // with few elements one fits by chance
        return none;
    for (int parts = 1; parts < PARTS; parts++)
        for (int bits = FIRST_STEP; bits <= LAST_STEP + FLOAT_BITS; bits++)
            for (int r = 0; r < 3; r++) {
                const bool step = bits <= LAST_STEP;
                const struct narrowing n = {parts, rounds[r], step ? bits : bits - LAST_STEP, step,
                                            false};
                const double left = unexplained(e, &n);
                best = left < least ? n : best;
                least = left < least ? left : least;
            }
    if (best.parts == 0)
        return none;
    return caused("narrow", "close, but too far: narrower arithmetic: %s %s%d%s",
                  best.parts >= SUMS ? "each sum has" : has[best.parts & (OPERAND_A + OPERAND_B)],
                  best.step ? "multiples of 2^" : "", best.bits,
                  best.step                 ? " only"
                  : best.bits == 8          ? " bits (bfloat16)"
                  : best.bits == HALF_BITS  ? " bits (half, TF32)"
                  : best.bits == FLOAT_BITS ? " bits (float)"
                                            : " bits");
}
