// SPDX-License-Identifier: MIT
// Is C right? The reference is computed in double, a row at a time, so it needs O(N) memory. How
// far off an element may be: tolerance.c.
//
// Small problems: every row. Large ones, in O(n^2): Freivalds' test on all rows, and four rows
// element by element.
#include "strict.h"
#include "verify.h"
#include "findings.h"
#include "large/large.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// M * N * K of which every element is verified; and of a judge, whose secret does the rest.
static const double full_check_limit = 512.0 * 512.0 * 512.0, judged_limit = 128.0 * 128.0 * 128.0;

// Checks row i of C. reference and squares: scratch of N doubles each.
static void check_row(const struct problem *p, struct findings *f, int i, double *reference,
                      double *squares)
{
    int N = p->N, K = p->K;
    double factor = error_factor(p);
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
        bool wrong = !(error <= bound);
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

// Four rows from the first to the last; eight more that only a judge knows, as it has a secret; and
// of those that Freivalds' test finds wrong up to 32, to explain them.
static void check_some_rows(const struct problem *p, struct findings *f, bool sampled,
                            double *reference, double *squares)
{
    const int M = p->M, fixed[] = {0, M / 3, M - M / 3, M - 1};
    bool *failed = scratch((size_t)M, sizeof *failed), *chosen = scratch((size_t)M, sizeof *chosen);
    for (int s = 0; sampled && s < 4; s++)
        chosen[fixed[s] < M ? fixed[s] : 0] = true;
    for (uint64_t s = 0; sampled && p->secret != 0 && s < 8; s++)
        chosen[random64(p->secret - 1 - s) % (uint64_t)M] = true;
    f->rows_failed = freivalds(p, failed);
    long step = f->rows_failed / 32 + 1, seen = 0;
    for (int i = 0; i < M; i++)
        if (chosen[i] || (failed[i] && seen++ % step == 0))
            check_row(p, f, i, reference, squares);
    free(chosen);
    free(failed);
}

bool verify_product(const struct problem *p, double small, bool sampled, struct findings *f,
                    const char **method)
{
    double *reference = scratch((size_t)p->N, sizeof *reference);
    double *squares = scratch((size_t)p->N, sizeof *squares);
    bool all = (double)p->M * p->N * p->K <= small;
    for (int i = 0; all && i < p->M; i++)
        check_row(p, f, i, reference, squares);
    if (!all)
        check_some_rows(p, f, sampled, reference, squares);
    free(reference);
    free(squares);
    *method = all              ? "every element"
              : !sampled       ? "Freivalds"
              : p->secret != 0 ? "Freivalds + 12 rows"
                               : "Freivalds + 4 rows";
    return f->wrong == 0 && f->rows_failed == 0;
}

void begin_findings(const struct problem *p, struct findings *f)
{
    *f = (struct findings){
        .M = p->M, .N = p->N, .K = p->K, .tile = p->tile, .set = p->set, .seed = p->seed};
}

bool guards_hold(const struct problem *p, struct findings *f)
{
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    bool hold = true;
    for (int m = 0; m < 3; m++) {
        f->guard_words[m] = broken_guards(p, all[m], &f->guard_at[m]);
        hold = hold && f->guard_words[m] == 0;
    }
    return hold;
}

bool verify(const struct problem *p, bool quick, struct findings *f, const char **method)
{
    const struct matrix *inputs[] = {&p->A, &p->B};
    const double limit = p->secret != 0 ? judged_limit : full_check_limit;
    fenv_t kernel; // it may have changed the rounding, or taken small numbers for 0
    fegetenv(&kernel);
    fesetenv(FE_DFL_ENV);
    begin_findings(p, f);
    bool ok = guards_hold(p, f);
    for (int m = 0; m < 2; m++) {
        f->input_changes[m] = changed_elements(p, inputs[m], &f->input_at[m]);
        ok = ok && f->input_changes[m] == 0;
    }
    *method = "inputs only";
    if (f->input_changes[0] + f->input_changes[1] == 0) // a product of other matrices means nothing
        ok = verify_product(p, quick ? 0 : limit, !quick, f, method) && ok;
    fesetenv(&kernel);
    return ok;
}
