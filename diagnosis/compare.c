// SPDX-License-Identifier: MIT
// Which mistake explains C? A hypothesis predicts each wrong element from A and B. It is accepted
// if it fits every sample that it predicts. A cause is named if only one hypothesis is accepted.
#include "diagnosis/cause.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRICES = 3, LAYOUTS = 6, MOST_SOURCES = 1 << 18, LARGEST_NUMBER = 4096 };
static const struct cause none = {NULL, ""};

// An element whose sum is stored at a sample, as many others may be.
struct source {
    const struct sample *at;
    size_t i, j;
};

// Lines of the table for the indices of A, B and C, mostly the same one.
struct hypothesis {
    int line[MATRICES];
    enum form form;
    size_t n; // the number in its words; 0: it has none
    struct source *sources;
    int source_count;
};
enum vote { SILENT, FOR, AGAINST };

static double tolerance(const struct problem *p)
{
    return is_exact(p) ? 0 : rounding_factor(p);
}

// ---- what a hypothesis predicts -----------------------------------------------------------------
// The value of an element, and how far C may be from it. Sums of integers are rounded, too, if they
// are too large for `real`.
struct prediction {
    bool known;
    double sum, near;
};

// An index outside the matrix has a known value only in a trial that has put zeros there.
static double value_at(const struct matrix *m, size_t at, bool zeros)
{
    const size_t around = GUARD_BYTES / sizeof(real), count = elements_of(m);
    return at < count ? (double)m->data[at] : zeros && at < count + around ? 0 : NAN;
}

static struct prediction sum_of(const struct evidence *e, const struct hypothesis *h, size_t i,
                                size_t j)
{
    const double exact =
        REAL_IS_INT ? INT_MAX : 2 / (sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON);
    const struct place at = {e, i, j, h->n, 0};
    double sum = 0, squares = 0, all = 0;
    for (size_t k = 0; k < (size_t)e->p->K; k++) {
        struct term one = term(h->line[0], &at, k);
        if (h->line[1] != h->line[0])
            one.b = term(h->line[1], &at, k).b;
        if (one.a == PADDED || one.b == PADDED || one.count == 0)
            continue;
        double a = value_at(&e->p->A, one.a, e->trial >= OTHER_A),
               b = value_at(&e->p->B, one.b, e->trial == OTHER_B);
        double value = one.count == ADDED ? a + b : one.count * (a * b);
        if (isnan(value))
            return (struct prediction){.known = false};
        sum += value;
        squares += value * value;
        all += fabs(value);
    }
    bool fits = is_exact(e->p) && all < exact;
    return (struct prediction){true, sum, fits ? 0 : rounding_factor(e->p) * sqrt(squares)};
}

// A mistake that makes no difference at a wrong element is not the cause. If sums are rounded, the
// difference may be too small to see.
static enum vote compared(const struct sample *s, struct prediction is)
{
    if (!is.known || (is.near > 0 && fabs(is.sum - s->right) <= is.near))
        return SILENT;
    return fabs(s->got - is.sum) <= is.near ? FOR : AGAINST;
}

// Fills in the sources of all samples. False: the row does not apply here.
static bool find_sources(const struct evidence *e, struct hypothesis *h)
{
    const size_t M = (size_t)e->p->M, N = (size_t)e->p->N;
    struct place at = {.e = e};
    h->sources = scratch(MOST_SOURCES, sizeof *h->sources);
    for (at.i = 0; at.i < M; at.i++)
        for (at.j = 0; at.j < N; at.j++) {
            const size_t to = term(h->line[2], &at, 0).to;
            const struct sample *s = e->samples;
            if (to == UNKNOWN || h->source_count == MOST_SOURCES)
                return false;
            if (to >= M * N || (e->f->found.marks[to] & SAMPLED) == 0)
                continue;
            while (s->i * N + s->j != to)
                s++;
            h->sources[h->source_count++] = (struct source){s, at.i, at.j};
        }
    return true;
}

// Any of the sums that are stored at one place may be left there, as work-groups have no order.
static enum vote on_stored(const struct evidence *e, const struct hypothesis *h,
                           const struct sample *s)
{
    bool any = false, other = false, fits = false;
    for (const struct source *one = h->sources; one < h->sources + h->source_count; one++) {
        if (one->at != s)
            continue;
        const struct prediction is = sum_of(e, h, one->i, one->j);
        if (!is.known)
            return SILENT;
        any = true;
        other = other || fabs(is.sum - s->right) > is.near;
        fits = fits || fabs(s->got - is.sum) <= is.near;
    }
    if (!any)
        return is_poison(e->p->C.data[s->i * (size_t)e->p->N + s->j]) ? FOR : AGAINST;
    return !other ? SILENT : fits ? FOR : AGAINST;
}

static enum vote vote(const struct evidence *e, const struct hypothesis *h, const struct sample *s)
{
    if (h->sources != NULL)
        return on_stored(e, h, s);
    if (h->form != CARRIED)
        return compared(s, sum_of(e, h, s->i, s->j));
    const struct term one = term(h->line[0], &(struct place){e, s->i, s->j, h->n, s->right}, 0);
    double near =
        tolerance(e->p) * s->magnitude + rounding_factor(e->p) * fabs(one.element - s->right);
    return compared(s, (struct prediction){one.a != UNKNOWN, one.element, near});
}

// If few elements are wrong, or all are rounded and a number is searched for, something may fit by
// chance. A number that is the same for all is taken from the first one, which therefore always
// fits.
static bool is_accepted(const struct evidence *e, const struct hypothesis *h)
{
    const int least = h->form == CARRIED || (h->n > 0 && !is_exact(e->p)) ? 4
                      : e->f->found.wrong < e->f->found.examined          ? 3
                                                                          : 1;
    int votes = 0;
    for (const struct sample *s = e->samples; s < e->samples + e->count; s++) {
        const enum vote one = vote(e, h, s);
        if (one == AGAINST)
            return false;
        votes += one == FOR;
    }
    return votes >= least && 2 * votes >= e->count;
}

// ---- the rows of the table ----------------------------------------------------------------------
enum rank { EDGE, PLAIN, NUMBERED };

static enum rank rank_of(const struct mistake *m)
{
    return strchr(m->cause.text, '#') != NULL   ? NUMBERED
           : strcmp(m->cause.kind, "edge") == 0 ? EDGE
                                                : PLAIN;
}

// If C changes from run to run, a mistake may fit by chance. A wrong index may still be the cause,
// as it reads far outside, and so may a sum that goes on from run to run.
static bool may_explain(const struct evidence *e, const struct mistake *m)
{
    return m->form == CARRIED || (m->form < CARRIED && (e->f->changed[AGAIN] == 0 ||
                                                        strcmp(m->cause.kind, "index") == 0));
}

static bool explains(const struct evidence *e, const struct mistake *m, size_t n)
{
    struct hypothesis h = {{m->line, m->line, m->line}, m->form, n, NULL, 0};
    const bool accepted = (m->form != STORED || find_sources(e, &h)) && is_accepted(e, &h);
    free(h.sources);
    return accepted;
}

// Names the factor of each sum. 2 and -1 are rows of the table.
static struct cause scaled(const struct evidence *e)
{
    const struct findings *f = e->f;
    const double by = f->found.got / f->found.expected;
    bool fits = by != 0 && isfinite(by) && fabs(by - 1) > 0.01 && f->changed[AGAIN] == 0;
    for (const struct sample *s = e->samples; s < e->samples + e->count && fits; s++) {
        const double is = s->right * by, near = rounding_factor(e->p) * fabs(is);
        const struct prediction one = {true, is, near + tolerance(e->p) * s->magnitude};
        fits = compared(s, one) != AGAINST;
    }
    if (!fits || (f->found.wrong < f->found.examined && e->count < 3) || f->found.wrong == 1)
        return none;
    if (fabs(by * f->K - 1) < 1e-3)
        return caused(
            "sum", "every element is divided by %d, which is K: C is the sum, not its mean", f->K);
    return caused(
        "sum", "every element is %.3g times what it should be: what is the sum multiplied by?", by);
}

static struct cause only_row(const struct evidence *e, enum rank rank)
{
    struct cause found = none;
    for (const struct mistake *m = mistakes; m->line != 0; m++) {
        if (rank_of(m) != rank || !may_explain(e, m) || !explains(e, m, 0))
            continue;
        if (found.kind != NULL && strcmp(found.text, m->cause.text) != 0)
            return none;
        found = m->cause;
    }
    return found;
}

// The row with its number; @ is where C is wrong.
static struct cause with_number(const struct findings *f, const struct mistake *m, size_t n)
{
    const bool bottom = axis_of(f, true).partial, right = axis_of(f, false).partial,
               edge = (bottom || right) && strchr(m->cause.text, '@') != NULL;
    const struct region region = marked_region(f, WRONG);
    char where[160] = "wrong elements";
    if (right || bottom)
        snprintf(where, sizeof where, "only the last, partial tile of %s: its elements",
                 right ? "columns" : "rows");
    else if (region.text[0] != '\0')
        snprintf(where, sizeof where, "elements of %s", region.text);
    return worded(edge ? "edge" : m->cause.kind, m->cause.text, n, where);
}

// The first row that explains C, with the smallest number.
struct cause only_numbered(const struct evidence *e)
{
    const struct findings *f = e->f;
    const int longest = f->M > f->N ? f->M : f->N;
    const size_t most = (size_t)(longest > f->K ? longest : f->K);
    if (f->poison == f->found.wrong || f->changed[AGAIN] > 0)
        return none;
    for (const struct mistake *m = mistakes; m->line != 0; m++)
        for (size_t n = 1; rank_of(m) == NUMBERED && n <= most && n <= LARGEST_NUMBER; n++)
            if (explains(e, m, n))
                return with_number(f, m, n);
    return none;
}

// ---- A, B and C laid out otherwise, one of them or several at once ------------------------------
// The right layout, NULL, is number 0; and so is one that is not in the table.
static const struct mistake *layout(int matrix, int number)
{
    for (const struct mistake *m = mistakes; m->line != 0 && number > 0; m++)
        if (m->form == OF_MATRIX_A + (unsigned)matrix && --number == 0)
            return m;
    return NULL;
}

static void append(char *text, size_t size, const char *separator, const char *more)
{
    const size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%.64s", at > 0 ? separator : "", more);
}

static struct cause layout_cause(const struct mistake *const way[MATRICES])
{
    static const char *const is[] = {"(i,k) is A[i*K + k]", "(k,j) is B[k*N + j]",
                                     "(i,j) belongs at C[i*N + j]"};
    static const char *const names[][2] = {
        {"A is read column by column", "this is A transposed times B: A is row-major"},
        {"B is read column by column", "this is A times B transposed: B is row-major"},
        {"A is read column by column, and B is read column by column, and C is stored column by "
         "column",
         "this is B times A, or all three are taken to be column-major"},
    };
    char words[256] = "", rights[128] = "";
    for (int m = 0; m < MATRICES; m++)
        if (way[m] != NULL) {
            append(words, sizeof words, ", and ", way[m]->cause.text);
            append(rights, sizeof rights, ", ", is[m]);
        }
    for (int n = 0; n < 3; n++)
        if (strcmp(words, names[n][0]) == 0)
            strcpy(words, names[n][1]);
    return caused("index", "%s%s%s", words, strchr(words, ':') != NULL ? ", " : ": ", rights);
}

// The layouts that explain all with the fewest matrices.
static struct cause only_layout(const struct evidence *e)
{
    const struct mistake *way[MATRICES];
    struct cause found = none;
    int fewest = MATRICES + 1;
    for (int c = 0; c < LAYOUTS; c++) {
        way[2] = layout(2, c);
        struct hypothesis h = {.line[2] = way[2] != NULL ? way[2]->line : 0, .form = SUM};
        const bool known = way[2] == NULL || find_sources(e, &h);
        for (int l = c == 0; known && l < LAYOUTS * LAYOUTS; l++) {
            way[0] = layout(0, l % LAYOUTS);
            way[1] = layout(1, l / LAYOUTS);
            h.line[0] = way[0] != NULL ? way[0]->line : 0;
            h.line[1] = way[1] != NULL ? way[1]->line : 0;
            const int wrong = (way[0] != NULL) + (way[1] != NULL) + (way[2] != NULL);
            if (wrong > fewest || !is_accepted(e, &h))
                continue;
            found = wrong == fewest ? none : layout_cause(way);
            fewest = wrong;
        }
        free(h.sources);
    }
    return found;
}

struct cause only_mistake(const struct evidence *e)
{
    if (e->f->poison == e->f->found.wrong) // nothing was stored anywhere
        return none;
    struct cause cause = only_layout(e);
    for (enum rank rank = EDGE; rank < NUMBERED && cause.kind == NULL; rank++)
        cause = only_row(e, rank);
    return cause.kind != NULL ? cause : scaled(e);
}

// ---- lanes that are not added up ----------------------------------------------------------------
enum { MOST_LANES = 32 };
typedef double equations[SAMPLES][MOST_LANES + 1]; // the last column is the right-hand side

// Gauss and Jordan: leaves unknown u in row u. False: there is not one solution.
static bool solve(equations of, int count, int unknowns)
{
    for (int u = 0; u < unknowns; u++) {
        int pivot = u;
        for (int row = u; row < count; row++)
            pivot = fabs(of[row][u]) > fabs(of[pivot][u]) ? row : pivot;
        if (of[pivot][u] == 0)
            return false;
        for (int c = unknowns; c >= u; c--) {
            const double top = of[pivot][c] / of[pivot][u];
            of[pivot][c] = of[u][c];
            of[u][c] = top;
        }
        for (int row = 0; row < count; row++)
            for (int c = unknowns; c >= u && row != u; c--)
                of[row][c] -= of[row][u] * of[u][c];
    }
    return true;
}

// Is each element the sum of some lanes? A lane has the k with the same k % lanes. Marks them.
static bool find_lanes(const struct evidence *e, int lanes, bool *is_there)
{
    const size_t K = (size_t)e->p->K, N = (size_t)e->p->N;
    equations of = {{0}};
    bool fits = true;
    for (int s = 0; s < e->count; s++) {
        for (size_t k = 0; k < K; k++)
            of[s][k % (size_t)lanes] += (double)e->p->A.data[e->samples[s].i * K + k] *
                                        (double)e->p->B.data[k * N + e->samples[s].j];
        of[s][lanes] = e->samples[s].got;
    }
    if (!solve(of, e->count, lanes))
        return false;
    for (int row = 0; row < e->count; row++) { // a rest is 0, but for rounding
        const double is = of[row][lanes];
        is_there[row < lanes ? row : lanes] = row < lanes && is > 0.5;
        fits = fits && (fabs(is) < 1e-3 || (row < lanes && fabs(is - 1) < 1e-3));
    }
    return fits;
}

struct cause only_lanes(const struct evidence *e)
{
    bool is_there[MOST_LANES + 1] = {false};
    char list[128] = "", run[32];
    int lanes = 2;
    if (!is_exact(e->p) || e->count < 16 || e->f->changed[AGAIN] > 0 ||
        e->f->zero == e->f->found.wrong)
        return none;
    while (lanes <= MOST_LANES && !find_lanes(e, lanes, is_there))
        lanes++;
    if (lanes > MOST_LANES || 2 * lanes > e->p->K || lanes + 2 > e->count)
        return none;
    for (int first = 0, end; first < lanes; first = end + 1) {
        for (end = first; is_there[end];)
            end++;
        snprintf(run, sizeof run, "%d to %d", first, end - 1);
        if (end == first + 1)
            *strchr(run, ' ') = '\0';
        if (end > first)
            append(list, sizeof list, ", ", run);
    }
    return caused("k",
                  "only the k are there with k %% %d = %s: is a lane, or one of several sums, left "
                  "out where they are added up, or does the loop over k go on by more than 1?",
                  lanes, list);
}
