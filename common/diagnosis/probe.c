// SPDX-License-Identifier: MIT
// What common mistakes would have left in C, computed from A and B: if every wrong element is
// exactly that, the mistake is found.
#include "strict.h"
#include "diagnosis/cause.h"
#include "verify.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// What a mistake leaves, and how far from it an element may be: whole numbers whose sum does not
// fit are rounded, too.
struct would_be {
    bool known;
    double sum, near;
};

// Elements that lie around each matrix.
static const size_t around = GUARD_BYTES / sizeof(real);

static struct product right(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K + k, k * at->N + at->col, 1};
}

static struct would_be sum_of(const struct problem *p, const struct place *at, product_of *product)
{
    const double exact =
        REAL_IS_INT ? INT_MAX : 2 / (sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON);
    double sum = 0, squares = 0, all = 0;
    for (size_t k = 0; k < at->K; k++) {
        struct product one = product(at, k);
        if (one.count == 0)
            continue;
        bool past_a = one.a >= at->M * at->K, past_b = one.b >= at->K * at->N;
        bool zeros_a = at->trial >= OTHER_A && one.a < at->M * at->K + around,
             zeros_b = at->trial == OTHER_B && one.b < at->K * at->N + around;
        if ((past_a && zeros_a) || (past_b && zeros_b && (!past_a || zeros_a)))
            continue;
        if (past_a || past_b) // nothing can be told
            return (struct would_be){.known = false};
        double a = (double)p->A.data[one.a], b = (double)p->B.data[one.b];
        double value = one.count == ADDED ? a + b : one.count * (a * b);
        sum += value;
        squares += value * value;
        all += fabs(value);
    }
    bool fits = is_exact(p) && all < exact;
    return (struct would_be){true, sum, fits ? 0 : rounding_factor(p) * sqrt(squares)};
}

// Where the mistake would make no difference, and this element is wrong, it is another; of sums
// that are rounded nothing can be told.
static void compare(struct findings *f, int mistake, double got, double expected,
                    struct would_be is)
{
    if (!is.known || (is.near > 0 && fabs(is.sum - expected) <= is.near))
        return;
    f->told[mistake]++;
    f->explained[mistake] += fabs(got - is.sum) <= is.near;
}

// Any of those that are stored at one place may be left there.
static void probe_moved(const struct problem *p, struct findings *f, int number,
                        const struct mistake *mistake, const struct place *here, double expected)
{
    real element = p->C.data[here->row * here->N + here->col];
    struct place at = *here;
    bool told = false, fits = false;
    int nth = 0;
    for (; mistake->moved(&at, nth); at = *here, nth++) {
        struct would_be is = sum_of(p, &at, mistake->product != NULL ? mistake->product : right);
        if (!is.known)
            return;
        told = told || fabs(is.sum - expected) > is.near;
        fits = fits || fabs((double)element - is.sum) <= is.near;
    }
    f->told[number] += told || nth == 0;
    f->explained[number] += nth == 0 ? is_poison(element) : told && fits;
}

static void probe_mistake(const struct problem *p, struct findings *f, int number,
                          const struct mistake *mistake, const struct place *here, double expected)
{
    bool tiles = here->tile_k > 1 && here->K - here->last_tile > 1; // else, one is a k
    if (mistake->tiles > 0 &&
        (!tiles || here->last_tile < here->tile_k * (size_t)(mistake->tiles - 1)))
        return;
    if (mistake->moved != NULL)
        probe_moved(p, f, number, mistake, here, expected);
    else
        compare(f, number, (double)p->C.data[here->row * here->N + here->col], expected,
                sum_of(p, here, mistake->product));
}

static void probe_layout(const struct problem *p, struct findings *f, int layout,
                         const struct place *here, double expected)
{
    static const struct mistake mistake = {.product = laid_out, .moved = stored_there};
    struct place at = *here;
    at.number = layout;
    if (can_be_told(&at))
        probe_moved(p, f, FIRST_LAYOUT + layout, &mistake, &at, expected);
}

// The element of another row or column, so far away.
static void probe_shift(const struct problem *p, struct findings *f, int number,
                        const struct place *here, double expected)
{
    struct place at = *here;
    struct shift by = shift(number);
    at.row += (size_t)by.rows; // what is before the first one is large
    at.col += (size_t)by.columns;
    double got = (double)p->C.data[here->row * here->N + here->col];
    if (at.row >= at.M || at.col >= at.N)
        return;
    struct would_be is = sum_of(p, &at, right);
    bool other = at.row / at.tile_m != here->row / here->tile_m ||
                 at.col / at.tile_n != here->col / here->tile_n;
    if (other && here->tile_k > 1 && fabs(got - is.sum) > is.near) // past the end of its own tile
        return;
    compare(f, FIRST_SHIFT + number, got, expected, is);
}

// Does the element so far away, either way, hold the same? All zeros tell nothing.
static void probe_twin(const struct problem *p, struct findings *f, int number,
                       const struct place *here)
{
    const struct shift by = twin(number);
    const real *C = p->C.data, element = C[here->row * here->N + here->col];
    bool told = false, same = false;
    for (int way = -1; way <= 1; way += 2) {
        size_t row = here->row + (size_t)(way * by.rows),
               col = here->col + (size_t)(way * by.columns);
        if (element == 0 || row >= here->M || col >= here->N)
            continue;
        told = true;
        same = same || C[row * here->N + col] == element;
    }
    f->told[FIRST_TWIN + number] += told;
    f->explained[FIRST_TWIN + number] += same;
}

static void probe_sum(const struct problem *p, struct findings *f, const struct place *at,
                      double expected, double near)
{
    const real *here = &p->C.data[at->row * at->N + at->col];
    const size_t back[] = {1, at->tile_n, 16}, first = at->row * at->N + at->col;
    const bool known[] = {first > 0, at->tile_n > 1 && at->col >= at->tile_n,
                          at->tile_n > 16 && at->tile_n % 16 == 0 && at->col >= 16};
    double got = (double)*here;
    for (int m = CARRIED_ON; m <= CARRIED_ON_ITEM; m++)
        if (known[m]) {
            double before = (double)here[-(ptrdiff_t)back[m]];
            compare(f, m, got, expected,
                    (struct would_be){true, expected + before,
                                      near + rounding_factor(p) * fabs(before)});
        }
    if (f->got != 0 && f->expected != 0 && fabs(f->got / f->expected - 1) > 0.01) {
        double scaled = expected * (f->got / f->expected);
        double rounding = rounding_factor(p) * fabs(scaled) + (is_exact(p) ? 0 : near);
        compare(f, SCALED, got, expected, (struct would_be){true, scaled, rounding});
    }
    if (f->probed > 1)
        compare(f, OFF_BY_SAME, got, expected,
                (struct would_be){true, expected + (f->got - f->expected), near});
}

static bool is_sample(int number)
{
    return (number & (number - 1)) == 0 && number <= 128;
}

// Each costs O(K). Of the rows in which something is wrong the first, the second, the fourth, the
// eighth ..., and of the wrong elements in each of these: in several tiles.
static bool is_probed(struct findings *f, int i)
{
    bool another = f->wrong_rows == 0 || f->last_row != i;
    f->wrong_rows += another;
    f->in_row = another ? 1 : f->in_row + 1;
    f->last_row = i;
    if (!is_sample(f->wrong_rows) || !is_sample(f->in_row))
        return false;
    f->probed++;
    return true;
}

// Does it hold what a variable holds that nobody has set, in the emulation? GCC, and
// -ftrivial-auto-var-init=pattern. As float, or double, so much that no sum changes it.
static bool is_unset(real x)
{
    real unset;
    memset(&unset, 0xFE, sizeof unset);
    return memcmp(&x, &unset, sizeof x) == 0;
}

void probe(const struct problem *p, struct findings *f, int i, int j, double expected,
           double magnitude)
{
    struct place at = {
        (size_t)p->M,      (size_t)p->N,      (size_t)p->K,      (size_t)i, (size_t)j,
        (size_t)p->tile.m, (size_t)p->tile.n, (size_t)p->tile.k, 0,         0,
        f->trials};
    at.last_tile = (at.K - 1) / at.tile_k * at.tile_k;
    real element = p->C.data[at.row * at.N + at.col];
    double got = (double)element;
    f->row_wrong[i % period_of(f->tile.m)]++;
    f->column_wrong[j % period_of(f->tile.n)]++;
    f->i_min = i < f->i_min ? i : f->i_min;
    f->i_max = i > f->i_max ? i : f->i_max;
    f->j_min = j < f->j_min ? j : f->j_min;
    f->j_max = j > f->j_max ? j : f->j_max;
    f->poison += is_poison(element);
    f->nan += isnan(got) != 0;
    f->zero += got == 0;
    f->unset += is_unset(element);
    f->diagonal += i % f->tile.m == j % f->tile.n;
    f->items_diagonal += i % 16 == j % 16;
    f->above += j > i;
    f->below += j < i;
    f->skew_poison += is_poison(element) && (i * (long)f->N + j) % (f->N + 1) == 0;
    f->edges += i >= f->M / f->tile.m * f->tile.m || j >= f->N / f->tile.n * f->tile.n;
    f->row_not_zero[i % period_of(f->tile.m)] += got != 0;
    f->column_not_zero[j % period_of(f->tile.n)] += got != 0;
    f->row_poison[i % period_of(f->tile.m)] += is_poison(element);
    f->column_poison[j % period_of(f->tile.n)] += is_poison(element);
    f->cut += got == 0 || (got == trunc(got) && fabs(got - expected) <= 1);
    if (!is_probed(f, i))
        return;
    probe_sum(p, f, &at, expected, error_factor(p) * magnitude);
    probe_narrow(p, f, &at, got, expected, magnitude);
    for (int m = COMPUTED; m < ALL_PROBES; m++)
        if (f->explained[m] < f->told[m]) // no longer of interest
            continue;
        else if (m < FIRST_LAYOUT)
            probe_mistake(p, f, m, &mistakes[m], &at, expected);
        else if (m < FIRST_SHIFT)
            probe_layout(p, f, m - FIRST_LAYOUT, &at, expected);
        else if (m < FIRST_TWIN)
            probe_shift(p, f, m - FIRST_SHIFT, &at, expected);
        else
            probe_twin(p, f, m - FIRST_TWIN, &at);
}
