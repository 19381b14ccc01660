// SPDX-License-Identifier: MIT
// Is C right? The reference is computed in double, a row at a time, so it needs O(N) memory.
//
// Small problems: every row. Large ones, in O(n^2): Freivalds' test on all rows, and four rows
// element by element.
//
// An element passes if |got - reference| <= c * sqrt(K) * u * (|A||B|)ij with c = 4 and u the unit
// roundoff of `real`: the rounding errors of K sums add up like a random walk (N. Higham, T. Mary,
// "A new approach to probabilistic rounding error analysis", 2019). Measured: fp32 stays below 0.43
// of sqrt(K) u |A||B|, TF32 and half precision exceed 11.8. For INTEGERS the bound is zero.
// Written as !(error <= bound), since every comparison with NaN is false. Never compile this file
// with -ffast-math, which assumes that there is no NaN.
#include "lab.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double full_check_limit = 512.0 * 512.0 * 512.0; // M * N * K

static double unit_roundoff(void)
{
    return sizeof(real) == 8 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
}

static bool exact(const struct problem *p)
{
    return p->set == INTEGERS || REAL_IS_INT;
}

// One element of a product whose operands may be laid out wrongly: used to recognize such mistakes.
static double dot(const real *a, size_t a_step, const real *b, size_t b_step, int K)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)K; k++)
        sum += (double)a[k * a_step] * (double)b[k * b_step];
    return sum;
}

// Compares a wrong element with what common mistakes would have left there.
static void probe(const struct problem *p, struct findings *f, int i, int j, double reference,
                  double magnitude)
{
    size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K, row = (size_t)i, col = (size_t)j;
    const real *A = p->A.data, *B = p->B.data;
    real element = p->C.data[row * N + col];
    double got = (double)element;
    double near = exact(p) ? 0 : 4 * sqrt((double)K) * unit_roundoff() * magnitude;
    f->poison += is_poison(element);
    f->nan += isnan(got) != 0;
    f->zero += got == 0;
    f->imprecise += fabs(got - reference) <= 0.02 * magnitude;
    if (f->probed == 64) // the others cost O(K) each
        return;
    f->probed++;
    double first = (double)A[row * K] * (double)B[col];
    double last = (double)A[row * K + K - 1] * (double)B[(K - 1) * N + col];
    f->first_k += fabs(got - (reference - first)) <= near;
    f->last_k += fabs(got - (reference - last)) <= near;
    f->only_last += fabs(got - last) <= near;
    f->a_transposed += fabs(got - dot(A + row, M, B + col, N, p->K)) <= near;
    f->b_transposed += fabs(got - dot(A + row * K, 1, B + col * K, 1, p->K)) <= near;
    size_t flat =
        row * N + col; // where a C stored column by column has its element (flat % M, flat / M)
    f->c_transposed += fabs(got - dot(A + flat % M * K, 1, B + flat / M, N, p->K)) <= near;
}

// Checks row i of C. reference and magnitude: scratch of N doubles each.
static void check_row(const struct problem *p, struct findings *f, int i, double *reference,
                      double *magnitude)
{
    int N = p->N, K = p->K;
    double factor = exact(p) ? 0 : 4 * sqrt((double)K) * unit_roundoff();
    memset(reference, 0, (size_t)N * sizeof *reference);
    memset(magnitude, 0, (size_t)N * sizeof *magnitude);
    for (int k = 0; k < K; k++) {
        double a = (double)p->A.data[(size_t)i * (size_t)K + (size_t)k], abs_a = fabs(a);
        const real *b = p->B.data + (size_t)k * (size_t)N;
        for (int j = 0; j < N; j++) {
            reference[j] += a * (double)b[j];
            magnitude[j] += abs_a * fabs((double)b[j]);
        }
    }
    for (int j = 0; j < N; j++) {
        double got = (double)p->C.data[(size_t)i * (size_t)N + (size_t)j];
        double bound = factor * magnitude[j];
        int y = (int)((long)i * MAP_ROWS / p->M), x = (int)((long)j * MAP_COLS / N);
        f->examined++;
        f->map_seen[y][x]++;
        if (fabs(got - reference[j]) <= bound)
            continue;
        if (f->wrong++ == 0) {
            f->i = f->i_min = f->i_max = i;
            f->j = f->j_min = f->j_max = j;
            f->got = got;
            f->expected = reference[j];
            f->bound = bound;
        }
        f->map_wrong[y][x]++;
        f->i_min = i < f->i_min ? i : f->i_min;
        f->i_max = i > f->i_max ? i : f->i_max;
        f->j_min = j < f->j_min ? j : f->j_min;
        f->j_max = j > f->j_max ? j : f->j_max;
        probe(p, f, i, j, reference[j], magnitude[j]);
    }
}

static uint64_t random64(uint64_t index) // splitmix64, G. Steele et al. 2014
{
    uint64_t x = (index + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// Freivalds' test (1977): if C = A B then C x = A (B x) for every vector x, and if not, a random x
// shows it. Both functions mark the rows where it does, and return how many. x: N, y: K of scratch.

// Exact data: arithmetic modulo 2^64, where a wrong element escapes with probability < 2^-32.
static long freivalds_exact(const struct problem *p, uint64_t *x, uint64_t *y, bool *failed)
{
    size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    long count = 0;
    for (size_t j = 0; j < N; j++)
        x[j] = random64(j);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < N; j++)
            y[k] += (uint64_t)(int64_t)p->B.data[k * N + j] * x[j];
    for (size_t i = 0; i < M; i++) {
        uint64_t difference = 0;
        for (size_t k = 0; k < K; k++)
            difference += (uint64_t)(int64_t)p->A.data[i * K + k] * y[k];
        bool whole = true;
        for (size_t j = 0; j < N; j++) {
            double c = (double)p->C.data[i * N + j];
            bool fits = fabs(c) < 0x1p53; // false for NaN, whose conversion would be undefined
            int64_t integer = fits ? (int64_t)c : 0;
            whole = whole && fits && c == (double)integer;
            difference -= (uint64_t)integer * x[j];
        }
        failed[i] = !whole || difference != 0;
        count += failed[i];
    }
    return count;
}

// Rounded data: x of random signs. The errors of a row then add up like a random walk, sqrt(N)
// times the bound of one element; 8 standard deviations are never seen by chance.
static long freivalds_rounded(const struct problem *p, double *x, double *y, bool *failed)
{
    size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    double factor = 8 * 4 * sqrt((double)K) * unit_roundoff() / sqrt((double)N);
    double *abs_y = scratch(K, sizeof *abs_y);
    long count = 0;
    for (size_t j = 0; j < N; j++)
        x[j] = random64(j) >> 63 ? 1 : -1;
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < N; j++) {
            double b = (double)p->B.data[k * N + j];
            y[k] += b * x[j];
            abs_y[k] += fabs(b);
        }
    for (size_t i = 0; i < M; i++) {
        double difference = 0, magnitude = 0;
        for (size_t k = 0; k < K; k++) {
            double a = (double)p->A.data[i * K + k];
            difference += a * y[k];
            magnitude += fabs(a) * abs_y[k];
        }
        for (size_t j = 0; j < N; j++)
            difference -= (double)p->C.data[i * N + j] * x[j];
        failed[i] = !(fabs(difference) <= factor * magnitude);
        count += failed[i];
    }
    free(abs_y);
    return count;
}

static void check_product(const struct problem *p, struct findings *f, const char **method)
{
    double *reference = scratch((size_t)p->N, sizeof *reference);
    double *magnitude = scratch((size_t)p->N, sizeof *magnitude);
    if ((double)p->M * p->N * p->K <= full_check_limit) {
        *method = "every element";
        for (int i = 0; i < p->M; i++)
            check_row(p, f, i, reference, magnitude);
    } else {
        *method = "Freivalds + 4 rows";
        bool *failed = scratch((size_t)p->M, sizeof *failed);
        void *x = scratch((size_t)p->N, 8), *y = scratch((size_t)p->K, 8);
        f->rows_failed =
            exact(p) ? freivalds_exact(p, x, y, failed) : freivalds_rounded(p, x, y, failed);
        // Four rows from the first to the last; and of the failed ones up to 32, to explain them.
        long step = f->rows_failed / 32 + 1, seen = 0;
        for (int i = 0; i < p->M; i++) {
            bool sample = i == 0 || i == p->M / 3 || i == p->M - p->M / 3 || i == p->M - 1;
            if (sample || (failed[i] && seen++ % step == 0))
                check_row(p, f, i, reference, magnitude);
        }
        free(failed);
        free(x);
        free(y);
    }
    free(reference);
    free(magnitude);
}

bool verify(const struct problem *p, struct findings *f, const char **method)
{
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    *f = (struct findings){0};
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
        check_product(p, f, method);
    return ok && f->wrong == 0 && f->rows_failed == 0;
}
