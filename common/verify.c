// SPDX-License-Identifier: MIT
// Is C right? The reference is computed in double, a row at a time, so it needs O(N) memory.
//
// Small problems: every row. Large ones, in O(n^2): Freivalds' test on all rows, and four rows
// element by element.
//
// An element passes if |got - reference| <= c * sqrt(K) * u * s with c = 8, u the unit roundoff of `real`
// and s the root of the sum of the K products' squares. UNIFORM products have either sign, so that a sum of
// them is about as large as s, and so are those on the way to it: each of K roundings is off by a part of u s,
// and these errors add up like a random walk (N. Higham, T. Mary, "A new approach to probabilistic rounding
// error analysis", 2019). s is less than (|A||B|)ij, which grows as K does: with that in its place K numbers
// of 16 bits pass from K = 200 on. Measured, as c: one sum after the other, with FMA or without, needs 0.3 in
// the mean (root of squares) and 4.3 at most, K from 1 to 8192, in up to 10^9 elements each; blocks, lanes,
// Kahan's sums and double need less. A and B rounded to 16 bits exceed 58 at K = 512 and 12 at 8192.
// For INTEGERS the bound is zero. Written as !(error <= bound), since every comparison with NaN is false.
//
// A tensor core cuts a sum where others round it. Such errors have one direction and add up, as K does: there
// it is 4 K u s. INTEGERS are the same as everywhere.
//
// Where the kernel may round A and B to a roundoff r (make's ROUNDING), each product may besides be off by
// 2 r of itself. These errors have either sign, and do not grow with the sum: they add up to less than 12 r s.
// Measured on a GPU with TF32: up to 0.9 of this bound at K = 2, and 0.2 from K = 64 on, where bfloat16
// exceeds 1.5.
#include "strict.h"
#include "verify.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double full_check_limit = 512.0 * 512.0 * 512.0; // M * N * K

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
        double got = (double)p->C.data[(size_t)i * (size_t)N + (size_t)j];
        double size = sqrt(squares[j]), bound = factor * size;
        int y = (int)((long)i * MAP_ROWS / p->M), x = (int)((long)j * MAP_COLS / N);
        double error = fabs(got - reference[j]);
        f->examined++;
        f->errors += error;
        f->largest_error = fmax(f->largest_error, error);
        f->map_seen[y][x]++;
        f->row_seen[i % PERIOD]++;
        f->column_seen[j % PERIOD]++;
        if (error <= bound)
            continue;
        if (f->wrong++ == 0) {
            f->i = f->i_min = f->i_max = i;
            f->j = f->j_min = f->j_max = j;
            f->got = got;
            f->expected = reference[j];
            f->bound = bound;
        }
        f->map_wrong[y][x]++;
        f->row_wrong[i % PERIOD]++;
        f->column_wrong[j % PERIOD]++;
        f->i_min = i < f->i_min ? i : f->i_min;
        f->i_max = i > f->i_max ? i : f->i_max;
        f->j_min = j < f->j_min ? j : f->j_min;
        f->j_max = j > f->j_max ? j : f->j_max;
        probe(p, f, i, j, reference[j], size);
    }
}

// Four rows from the first to the last; eight more that only a judge knows, as it has a secret; and of
// those that Freivalds' test finds wrong up to 32, to explain them.
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
    *f = (struct findings){.M = p->M, .N = p->N, .K = p->K};
    f->tile = p->tile;
    f->set = p->set;
    f->seed = p->seed;
}

bool verify(const struct problem *p, bool quick, struct findings *f, const char **method)
{
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    fenv_t kernel; // it may have changed the rounding, or taken small numbers for 0
    fegetenv(&kernel);
    fesetenv(FE_DFL_ENV);
    begin_findings(p, f);
    bool ok = true;
    for (int m = 0; m < 3; m++) {
        f->guard_words[m] = broken_guards(p, all[m], &f->guard_at[m]);
        ok = ok && f->guard_words[m] == 0;
    }
    for (int m = 0; m < 2; m++) {
        f->input_changes[m] = changed_elements(p, all[m], &f->input_at[m]);
        ok = ok && f->input_changes[m] == 0;
    }
    *method = "inputs only";
    if (f->input_changes[0] + f->input_changes[1] == 0) // a product of other matrices means nothing
        ok = verify_product(p, quick ? 0 : full_check_limit, !quick, f, method) && ok;
    fesetenv(&kernel);
    return ok;
}

// Bit for bit, but one NaN is like another.
static bool is_same(real a, real b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan((double)a) && isnan((double)b));
}

void compare_trial(struct findings *f, enum trial trial, const struct matrix *C, const real *failed)
{
    size_t count = (size_t)C->rows * (size_t)C->cols;
    f->trials = trial;
    for (size_t at = 0; at < count; at++) {
        f->changed[trial] += !is_same(C->data[at], failed[at]);
        f->unwritten += trial == OTHER_C && is_poison(failed[at]) && C->data[at] == 1;
    }
}
