// SPDX-License-Identifier: MIT
// Is C right? The reference is computed in double, a row at a time, with O(N) memory.
//
// The tolerance. An element passes if |got - reference| <= c * sqrt(K) * u * s with c = 8, u the
// unit roundoff of `real` and s the root of the sum of the K products' squares. UNIFORM products
// have either sign, so that a sum of them is about as large as s, and so is each partial sum: each
// of K roundings is off by a part of u s, and these errors add up like a random walk (N. Higham, T.
// Mary, "A new approach to probabilistic rounding error analysis", 2019). s is less than
// (|A||B|)ij, which grows as K does: with that bound, inputs rounded to 16 bits would pass from
// K = 200 on. Measured values of c: a plain loop over k, with FMA or without, needs 0.3 in the mean
// (root of squares) and 4.3 at most, K from 1 to 8192, in up to 10^9 elements each. Blocks, lanes,
// Kahan's sums and double need less. Inputs rounded to 16 bits need 58 at K = 512 and 12 at 8192.
// For INTEGERS the bound is zero.
//
// A tensor core truncates sums instead of rounding them. Such errors have one direction and add up
// as K does: the bound is 4 K u s there. If the kernel may round A and B to a roundoff r (make's
// ROUNDING), each product may also be off by 2 r of itself. These errors have either sign and do
// not grow with the sum: they add up to less than 12 r s. Measured on a GPU with TF32: up to 0.9 of
// this bound at K = 2, and 0.2 from K = 64 on, where bfloat16 exceeds 1.5.
#include "lab.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
#error "verify.c needs NaN: -ffast-math or -ffinite-math-only, even in CC, would let a wrong C pass"
#endif

bool is_exact(const struct problem *p)
{
    return p->set == INTEGERS || REAL_IS_INT;
}

double rounding_factor(const struct problem *p)
{
    const double unit_roundoff = sizeof(real) == 8 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    double walk = sqrt((double)p->K), sums = precision.truncates ? 4 * walk * walk : 8 * walk;
    return sums * unit_roundoff + 2 * precision.roundoff * fmin(walk, 6);
}

// Checks row i of C. reference and squares: scratch of N doubles each.
static void check_row(const struct problem *p, struct found *f, int i, double *reference,
                      double *squares)
{
    int N = p->N, K = p->K;
    double factor = is_exact(p) ? 0 : rounding_factor(p);
    memset(reference, 0, (size_t)N * sizeof *reference);
    memset(squares, 0, (size_t)N * sizeof *squares);
    for (int k = 0; k < K; k++) {
        double a = (double)p->A.data[(size_t)i * (size_t)K + (size_t)k];
        const real *b = p->B.data + (size_t)k * (size_t)N;
        for (int j = 0; j < N; j++) {
            double product = a * (double)b[j];
            reference[j] += product;
            squares[j] += product * product;
        }
    }
    for (int j = 0; j < N; j++) {
        size_t at = (size_t)i * (size_t)N + (size_t)j;
        double got = (double)p->C.data[at], bound = factor * sqrt(squares[j]);
        double error = fabs(got - reference[j]);
        bool wrong = !(error <= bound); // every comparison with NaN is false
        f->examined++;
        f->errors += error;
        f->largest_error = fmax(f->largest_error, error);
        if (f->marks != NULL)
            f->marks[at] = wrong ? SEEN + WRONG : SEEN;
        if (wrong && f->wrong++ == 0) {
            f->i = i;
            f->j = j;
            f->got = got;
            f->expected = reference[j];
            f->bound = bound;
        }
    }
}

FALLBACK const char *choose_rows(const struct problem *p, bool sampled, bool *chosen,
                                 struct found *f)
{
    (void)sampled;
    (void)f;
    for (int64_t row = 0; row < 16; row++)
        chosen[row * (p->M - 1) / 15] = true;
    return "16 rows";
}

bool verify_product(const struct problem *p, double small, bool sampled, struct found *f,
                    const char **method)
{
    double *reference = scratch((size_t)p->N, sizeof *reference);
    double *squares = scratch((size_t)p->N, sizeof *squares);
    bool *chosen = scratch((size_t)p->M, sizeof *chosen);
    const bool all = (double)p->M * p->N * p->K <= small;
    *method = all ? "every element" : choose_rows(p, sampled, chosen, f);
    for (int i = 0; i < p->M; i++)
        if (all || chosen[i])
            check_row(p, f, i, reference, squares);
    free(chosen);
    free(reference);
    free(squares);
    return f->wrong == 0 && f->suspects == 0;
}

bool guards_hold(const struct problem *p, struct found *f)
{
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    bool hold = true;
    for (int m = 0; m < 3; m++) {
        f->guard_words[m] = broken_guards(p, all[m], &f->guard_at[m]);
        hold = hold && f->guard_words[m] == 0;
    }
    return hold;
}

bool verify(const struct problem *p, double small, bool sampled, struct found *f,
            const char **method)
{
    const struct matrix *inputs[] = {&p->A, &p->B};
    fenv_t kernel; // it may have changed the rounding mode, or flush small numbers to 0
    fegetenv(&kernel);
    fesetenv(FE_DFL_ENV);
    *f = (struct found){0};
    bool ok = guards_hold(p, f);
    for (int m = 0; m < 2; m++)
        f->input_changes[m] = changed_elements(p, inputs[m], &f->input_at[m]);
    *method = "inputs only"; // a product of other matrices means nothing
    ok = f->input_changes[0] + f->input_changes[1] == 0 &&
         verify_product(p, small, sampled, f, method) && ok;
    fesetenv(&kernel);
    return ok;
}
