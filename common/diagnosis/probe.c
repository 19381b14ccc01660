// SPDX-License-Identifier: MIT
// What common mistakes would have left in C, computed from A and B: if every wrong element is exactly
// that, the mistake is found.
#include "strict.h"
#include "diagnosis/findings.h"
#include "verify.h"

#include <math.h>

// One element of a product whose operands may be laid out wrongly, and the root of its products' squares:
// whole numbers that do not belong together are rounded, too.
struct dot {
    double sum, size;
};

static struct dot dot(const real *a, size_t a_step, const real *b, size_t b_step, size_t K)
{
    double sum = 0, squares = 0;
    for (size_t k = 0; k < K; k++) {
        double product = (double)a[k * a_step] * (double)b[k * b_step];
        sum += product;
        squares += product * product;
    }
    return (struct dot){sum, sqrt(squares)};
}

static void compare(struct findings *f, enum mistake mistake, double got, double would_be,
                    double near)
{
    f->told[mistake]++;
    f->explained[mistake] += fabs(got - would_be) <= near;
}

// Sums that begin late, end early, or begin with something.
static void probe_sum(const struct problem *p, struct findings *f, size_t row, size_t col,
                      double expected, double near)
{
    size_t N = (size_t)p->N, K = (size_t)p->K, flat = row * N + col;
    const real *a = p->A.data + row * K, *b = p->B.data + col;
    double got = (double)p->C.data[flat];
    double first = (double)a[0] * (double)b[0], last = (double)a[K - 1] * (double)b[(K - 1) * N];
    size_t rest = p->K > p->tile.k ? K % (size_t)p->tile.k : 0; // of the last tile
    double rest_sum = rest > 0 ? dot(a + K - rest, 1, b + (K - rest) * N, N, rest).sum : last;
    compare(f, FIRST_K, got, expected - first, near);
    compare(f, ONLY_LAST_K, got, last, near);
    if (fabs(got - (expected - rest_sum)) <= near)
        compare(f, LAST_K, got, expected - rest_sum, near);
    else
        compare(f, LAST_K, got, expected - last, near);
    if (flat > 0) {
        double before = (double)p->C.data[flat - 1];
        compare(f, CARRIED_ON, got, expected + before, near + rounding_factor(p) * fabs(before));
    }
    if (f->probed > 1)
        compare(f, OFF_BY_SAME, got, expected + (f->got - f->expected), near);
}

// Where the mistake makes no difference, nothing can be told.
static void compare_dot(const struct problem *p, struct findings *f, enum mistake mistake,
                        double got, double expected, struct dot would_be)
{
    double near = rounding_factor(p) * would_be.size;
    if (fabs(would_be.sum - expected) > near)
        compare(f, mistake, got, would_be.sum, near);
}

// Operands or results in another place. Where that is outside a matrix nothing can be told.
static void probe_layout(const struct problem *p, struct findings *f, size_t row, size_t col,
                         double expected)
{
    size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K, flat = row * N + col;
    const real *A = p->A.data, *B = p->B.data;
    double got = (double)p->C.data[flat];
    compare_dot(p, f, A_TRANSPOSED, got, expected, dot(A + row, M, B + col, N, K));
    compare_dot(p, f, B_TRANSPOSED, got, expected, dot(A + row * K, 1, B + col * K, 1, K));
    // A C stored column by column has its element (flat % M, flat / M) there.
    compare_dot(p, f, C_TRANSPOSED, got, expected, dot(A + flat % M * K, 1, B + flat / M, N, K));
    bool a_inside = row * N + K <= M * K, b_inside = (K - 1) * K + col < K * N;
    if (a_inside)
        compare_dot(p, f, A_ROWS_OF_N, got, expected, dot(A + row * N, 1, B + col, N, K));
    if (b_inside)
        compare_dot(p, f, B_ROWS_OF_K, got, expected, dot(A + row * K, 1, B + col, K, K));
    if (a_inside && b_inside)
        compare_dot(p, f, BOTH_ROWS, got, expected, dot(A + row * N, 1, B + col, K, K));
}

void probe(const struct problem *p, struct findings *f, int i, int j, double expected,
           double magnitude)
{
    size_t row = (size_t)i, col = (size_t)j;
    real element = p->C.data[row * (size_t)p->N + col];
    double got = (double)element;
    double near = error_factor(p) * magnitude;
    f->poison += is_poison(element);
    f->nan += isnan(got) != 0;
    f->zero += got == 0;
    f->above += got > expected;
    f->narrow += fabs(got - expected) <= 0.5 * magnitude / sqrt((double)p->K);
    if (f->probed == 64) // the others cost O(K) each
        return;
    f->probed++;
    probe_sum(p, f, row, col, expected, near);
    probe_layout(p, f, row, col, expected);
}
