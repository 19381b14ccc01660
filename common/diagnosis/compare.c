// SPDX-License-Identifier: MIT
// Which mistake explains C? A hypothesis says what each wrong element would be, computed from A and
// B. It is accepted if it fits every sample about which it says something. A cause is named if just
// one hypothesis is accepted.
#include "diagnosis/cause.h"
#include "strict.h"
#include "verify.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cause none = {NULL, ""};

// An element whose sum was stored at a sample, as many others may be.
enum { MOST_SOURCES = 1 << 18 };
struct source {
    int sample;
    size_t i, j;
};

// Lines of the table for the indices of A, B and C, mostly the same one; or a distance to another
// row or column.
struct hypothesis {
    int of_a, of_b, of_c;
    enum form form;
    struct source *sources; // if C is stored elsewhere
    int source_count;
    int rows, columns;
};

enum vote { SILENT, FOR, AGAINST };
typedef enum vote vote_on(const struct evidence *e, const struct hypothesis *h, int sample);

static bool is_accepted(const struct evidence *e, const struct hypothesis *h, vote_on *vote)
{
    // If few elements are wrong, something may fit by chance. A number that is the same for all is
    // taken from the first one, which therefore always fits.
    int votes = 0, least = h->form == CARRIED ? 4 : e->f->wrong < e->f->examined ? 3 : 1;
    for (int s = 0; s < e->count; s++) {
        enum vote one = vote(e, h, s);
        if (one == AGAINST)
            return false;
        votes += one == FOR;
    }
    return votes >= least && 2 * votes >= e->count;
}

// ---- what a mistake leaves ----------------------------------------------------------------------
// The value of an element, and how far C may be from it. Whole numbers are rounded, too, if their
// sum does not fit.
struct would_be {
    bool known;
    double sum, near;
};

static struct term term_of(const struct hypothesis *h, const struct place *at, size_t k)
{
    struct term one = term(h->of_a, at, k);
    if (h->of_b != h->of_a)
        one.b = term(h->of_b, at, k).b;
    return one;
}

static struct would_be sum_of(const struct evidence *e, const struct hypothesis *h, size_t i,
                              size_t j)
{
    const double exact =
        REAL_IS_INT ? INT_MAX : 2 / (sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON);
    const size_t around = GUARD_BYTES / sizeof(real), count_a = elements_of(&e->p->A),
                 count_b = elements_of(&e->p->B);
    const bool zeros_a = e->trial >= OTHER_A, zeros_b = e->trial == OTHER_B;
    const struct place at = {e, i, j, 0};
    double sum = 0, squares = 0, all = 0;
    for (size_t k = 0; k < (size_t)e->p->K; k++) {
        struct term one = term_of(h, &at, k);
        if (one.a == PADDED || one.b == PADDED || one.count == 0)
            continue;
        bool past_a = one.a >= count_a, past_b = one.b >= count_b;
        bool zero_a = past_a && one.a < count_a + around && zeros_a,
             zero_b = past_b && one.b < count_b + around && zeros_b;
        if ((zero_a && (zero_b || !past_b)) || (zero_b && !past_a))
            continue;
        if (past_a || past_b)
            return (struct would_be){.known = false};
        double a = (double)e->p->A.data[one.a], b = (double)e->p->B.data[one.b];
        double value = one.count == ADDED ? a + b : one.count * (a * b);
        sum += value;
        squares += value * value;
        all += fabs(value);
    }
    bool fits = is_exact(e->p) && all < exact;
    return (struct would_be){true, sum, fits ? 0 : rounding_factor(e->p) * sqrt(squares)};
}

// A mistake that makes no difference here, where C is wrong, is not the one. If sums are rounded,
// the difference may be too small to tell.
static enum vote compared(const struct sample *s, struct would_be is)
{
    if (!is.known || (is.near > 0 && fabs(is.sum - s->right) <= is.near))
        return SILENT;
    return fabs(s->got - is.sum) <= is.near ? FOR : AGAINST;
}

// Any of the sums that are stored at one place may be left there, as work-groups have no order.
static enum vote on_stored(const struct evidence *e, const struct hypothesis *h, int sample)
{
    const struct sample *s = &e->samples[sample];
    bool any = false, other = false, fits = false;
    for (const struct source *one = h->sources; one < h->sources + h->source_count; one++) {
        if (one->sample != sample)
            continue;
        struct would_be is = sum_of(e, h, one->i, one->j);
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

static enum vote on_mistake(const struct evidence *e, const struct hypothesis *h, int sample)
{
    const struct sample *s = &e->samples[sample];
    if (h->sources != NULL)
        return on_stored(e, h, sample);
    if (h->form != CARRIED)
        return compared(s, sum_of(e, h, s->i, s->j));
    struct term one = term(h->of_a, &(struct place){e, s->i, s->j, s->right}, 0);
    double near =
        error_factor(e->p) * s->magnitude + rounding_factor(e->p) * fabs(one.element - s->right);
    return compared(s, (struct would_be){one.a != UNKNOWN, one.element, near});
}

// Fills in the sources of all samples. False: the mistake says nothing here.
static bool find_sources(const struct evidence *e, struct hypothesis *h)
{
    const size_t M = (size_t)e->p->M, N = (size_t)e->p->N;
    struct place at = {.e = e};
    h->sources = scratch(MOST_SOURCES, sizeof *h->sources);
    for (at.i = 0; at.i < M; at.i++)
        for (at.j = 0; at.j < N; at.j++) {
            const size_t to = term(h->of_c, &at, 0).to;
            if (to == UNKNOWN || h->source_count == MOST_SOURCES)
                return false;
            if (to >= M * N || (e->f->marks[to] & SAMPLED) == 0)
                continue;
            int s = 0;
            while (e->samples[s].i * N + e->samples[s].j != to)
                s++;
            h->sources[h->source_count++] = (struct source){s, at.i, at.j};
        }
    return true;
}

// ---- the mistakes, one by one -------------------------------------------------------------------
// If C changes from run to run, a mistake may fit by chance. A wrong index may still be the cause,
// as it reads far outside, and so may a sum that goes on from run to run.
static bool may_change(const struct mistake *m)
{
    return m->form == CARRIED || strcmp(m->cause.kind, "index") == 0;
}

static bool explains(const struct evidence *e, const struct mistake *m)
{
    struct hypothesis h = {m->line, m->line, m->line, m->form, NULL, 0, 0, 0};
    if (m->form > CARRIED || (e->f->changed[AGAIN] > 0 && !may_change(m)))
        return false;
    bool accepted = (m->form != STORED || find_sources(e, &h)) && is_accepted(e, &h, on_mistake);
    free(h.sources);
    return accepted;
}

// Names the number by which each sum is multiplied. 2 and -1 are rows of the table.
static struct cause scaled(const struct evidence *e)
{
    const struct findings *f = e->f;
    double by = f->got / f->expected;
    bool known = by != 0 && isfinite(by) && fabs(by - 1) > 0.01 && f->changed[AGAIN] == 0;
    for (int s = 0; s < e->count && known; s++) {
        const struct sample *one = &e->samples[s];
        double is = one->right * by, near = rounding_factor(e->p) * fabs(is);
        near += is_exact(e->p) ? 0 : error_factor(e->p) * one->magnitude;
        known = compared(one, (struct would_be){true, is, near}) != AGAINST;
    }
    if (!known || (f->wrong < f->examined && e->count < 3) || f->wrong == 1)
        return none;
    if (fabs(by * f->K - 1) < 1e-3)
        return caused(
            "sum", "every element is divided by %d, which is K: C is the sum, not its mean", f->K);
    return caused(
        "sum", "every element is %.3g times what it should be: what is the sum multiplied by?", by);
}

// A row about an edge of C comes before those about k.
static struct cause only_row(const struct evidence *e)
{
    struct cause found = none;
    for (int edges = 1; edges >= 0 && found.kind == NULL; edges--)
        for (const struct mistake *m = mistakes; m->line != 0; m++) {
            bool edge = strcmp(m->cause.kind, "edge") == 0;
            if (edge != (edges > 0) || !explains(e, m))
                continue;
            if (found.kind != NULL && strcmp(found.text, m->cause.text) != 0)
                return none;
            found = m->cause;
        }
    return found.kind != NULL ? found : scaled(e);
}

// ---- A, B and C laid out otherwise, one of them or several at once ------------------------------
enum { MATRICES = 3, WAYS = 5 };

static const struct mistake *const *ways_of(int matrix)
{
    static const struct mistake *ways[MATRICES][WAYS]; // the first one, NULL, is the right one
    int count = 1;
    for (const struct mistake *m = mistakes; m->line != 0; m++)
        if (m->form == OF_MATRIX_A + (unsigned)matrix)
            ways[matrix][count++] = m;
    return ways[matrix];
}

// "rows of A are taken to be N long", or "N or M" where these are the same.
static int put_layout(char *text, size_t size, const struct mistake *way, const struct findings *f)
{
    const char *words = way->cause.text, *length = strstr(words, " long");
    if (length == NULL || length[-1] == 'M' || f->M != (length[-1] == 'N' ? f->N : f->K))
        return snprintf(text, size, "%s", words);
    return snprintf(text, size, "%.*s or M long", (int)(length - words), words);
}

static struct cause layout_cause(const struct mistake *const way[MATRICES],
                                 const struct findings *f)
{
    static const char *const is[] = {"(i,k) is A[i*K + k]", "(k,j) is B[k*N + j]",
                                     "(i,j) belongs at C[i*N + j]"};
    struct cause cause = {"index", ""};
    char rights[128] = "";
    size_t at = 0, right = 0;
    int by_columns = 0; // a bit for each matrix, 8 for any other layout
    for (int m = 0; m < MATRICES; m++) {
        if (way[m] == NULL)
            continue;
        by_columns |= strstr(way[m]->cause.text, "column by column") != NULL ? 1 << m : 8;
        if (at > 0)
            at += (size_t)snprintf(cause.text + at, sizeof cause.text - at, ", and ");
        at += (size_t)put_layout(cause.text + at, sizeof cause.text - at, way[m], f);
        right += (size_t)snprintf(rights + right, sizeof rights - right, "%s%s",
                                  right > 0 ? ", " : "", is[m]);
    }
    bool cube = f->M == f->N && f->N == f->K;
    const char *name = by_columns == 1   ? "this is A transposed times B: A is row-major"
                       : by_columns == 2 ? "this is A times B transposed: B is row-major"
                       : by_columns == 7 && cube
                           ? "this is B times A, or all three are taken to be column-major"
                           : NULL;
    if (name != NULL)
        at = (size_t)snprintf(cause.text, sizeof cause.text, "%s", name);
    snprintf(cause.text + at, sizeof cause.text - at, "%s%s",
             strchr(cause.text, ':') != NULL ? ", " : ": ", rights);
    return cause;
}

// The layout that explains all with the fewest matrices.
static struct cause only_layout(const struct evidence *e)
{
    const struct mistake *const *ways[] = {ways_of(0), ways_of(1), ways_of(2)};
    struct cause found[MATRICES + 1] = {{NULL, ""}};
    int count[MATRICES + 1] = {0};
    for (int c = 0; c < WAYS; c++) {
        struct hypothesis h = {.of_c = c > 0 ? ways[2][c]->line : 0, .form = SUM};
        bool known = c == 0 || find_sources(e, &h);
        for (int other = 0; known && other < WAYS * WAYS; other++) {
            const struct mistake *const way[] = {ways[0][other % WAYS], ways[1][other / WAYS],
                                                 ways[2][c]};
            int wrong = (way[0] != NULL) + (way[1] != NULL) + (way[2] != NULL);
            h.of_a = way[0] != NULL ? way[0]->line : 0;
            h.of_b = way[1] != NULL ? way[1]->line : 0;
            if (wrong > 0 && is_accepted(e, &h, on_mistake) && count[wrong]++ == 0)
                found[wrong] = layout_cause(way, e->f);
        }
        free(h.sources);
    }
    for (int wrong = 1; wrong <= MATRICES; wrong++)
        if (count[wrong] > 0)
            return count[wrong] == 1 ? found[wrong] : none;
    return none;
}

struct cause only_mistake(const struct evidence *e)
{
    if (e->f->poison == e->f->wrong) // nothing was stored anywhere
        return none;
    struct cause layout = only_layout(e);
    return layout.kind != NULL ? layout : only_row(e);
}

// ---- a part of the products ---------------------------------------------------------------------
// A part of the products fits a few elements by chance.
static bool are_few(const struct evidence *e)
{
    return !is_exact(e->p) || e->count < 16 || e->f->changed[AGAIN] > 0;
}

// Is each element the sum of the first products alone, or of the last ones? There are `n` of them.
static bool is_part(const struct evidence *e, bool last, int *n)
{
    const size_t K = (size_t)e->p->K, N = (size_t)e->p->N;
    bool *not = scratch(K + 1, sizeof *not );
    int found = 0;
    for (const struct sample *s = e->samples; s < e->samples + e->count; s++) {
        double sum = 0;
        for (size_t count = 1; count <= K; count++) {
            size_t k = last ? K - count : count - 1;
            sum += (double)e->p->A.data[s->i * K + k] * (double)e->p->B.data[k * N + s->j];
            not [count] = not [count] || sum != s->got;
        }
    }
    for (size_t count = 1; count < K; count++)
        if (!not [count]) {
            found++;
            *n = (int)count;
        }
    free(not );
    return found == 1;
}

struct cause only_part(const struct evidence *e)
{
    int n;
    if (are_few(e))
        return none;
    if (is_part(e, false, &n))
        return caused("k",
                      "only the first %d of %d products are there: where does the loop over k end?",
                      n, e->f->K);
    if (is_part(e, true, &n))
        return caused("k",
                      "the first %d of %d products are missing: where does the loop over k "
                      "begin?",
                      e->f->K - n, e->f->K);
    return none;
}

// Is each element the sum over some lanes of a vector? A set of lanes has a bit for each.
struct cause only_lanes(const struct evidence *e)
{
    const size_t K = (size_t)e->p->K, N = (size_t)e->p->N;
    for (size_t lanes = 4; lanes <= 16 && 2 * lanes <= K && !are_few(e); lanes *= 2) {
        double of[SAMPLES][16] = {{0}};
        for (int s = 0; s < e->count; s++)
            for (size_t k = 0; k < K; k++)
                of[s][k % lanes] += (double)e->p->A.data[e->samples[s].i * K + k] *
                                    (double)e->p->B.data[k * N + e->samples[s].j];
        for (unsigned set = 1; set < (1U << lanes) - 1; set++) {
            bool same = true;
            for (int s = 0; s < e->count && same; s++) {
                double sum = 0;
                for (size_t lane = 0; lane < lanes; lane++)
                    sum += (set >> lane & 1) != 0 ? of[s][lane] : 0;
                same = sum == e->samples[s].got;
            }
            char list[64] = "";
            size_t at = 0;
            for (size_t lane = 0; lane < lanes && same; lane++)
                if ((set >> lane & 1) != 0)
                    at += (size_t)snprintf(list + at, sizeof list - at, "%s%zu", at > 0 ? ", " : "",
                                           lane);
            if (same)
                return caused("k",
                              "only the k are there with k %% %zu = %s: is a lane left out "
                              "where those of a vector are added up?",
                              lanes, list);
        }
    }
    return none;
}

// ---- another row or column ----------------------------------------------------------------------
static enum vote on_shift(const struct evidence *e, const struct hypothesis *h, int sample)
{
    const struct sample *s = &e->samples[sample];
    const struct tile t = e->f->tile;
    const int i = (int)s->i + h->rows, j = (int)s->j + h->columns;
    if (i < 0 || i >= e->f->M || j < 0 || j >= e->f->N)
        return SILENT;
    enum vote vote = compared(s, sum_of(e, h, (size_t)i, (size_t)j));
    bool other = i / t.m != (int)s->i / t.m || j / t.n != (int)s->j / t.n;
    return other && t.k > 1 && vote == AGAINST ? SILENT : vote; // past the end of its own tile
}

static struct cause shift_cause(const struct findings *f, const struct hypothesis *by)
{
    struct region region = wrong_region(f);
    bool bottom = only_bottom(f), right = only_right(f);
    int far = abs(by->rows + by->columns);
    const char *what = right                    ? "only the last, partial tile of columns: it"
                       : bottom                 ? "only the last, partial tile of rows: it"
                       : region.text[0] != '\0' ? region.text
                                                : "wrong elements";
    return caused(bottom || right ? "edge" : "index", "%s hold%s what belongs %d %s%s %s", what,
                  bottom || right || region.single ? "s" : "", far,
                  by->rows != 0 ? "row" : "column", far > 1 ? "s" : "",
                  by->rows > 0      ? "further down"
                  : by->rows < 0    ? "further up"
                  : by->columns > 0 ? "to the right"
                                    : "to the left");
}

struct cause only_shift(const struct evidence *e)
{
    struct cause found = none;
    if (e->f->poison == e->f->wrong || e->f->changed[AGAIN] > 0)
        return none;
    for (int number = 0; number < 32; number++) { // 1 to 128, to either side
        int far = number % 2 == 0 ? 1 << number / 4 : -(1 << number / 4);
        struct hypothesis by = {.rows = number % 4 < 2 ? far : 0,
                                .columns = number % 4 < 2 ? 0 : far};
        if (!is_accepted(e, &by, on_shift))
            continue;
        if (found.kind != NULL)
            return none;
        found = shift_cause(e->f, &by);
    }
    return found;
}

// Does an element at this distance, to either side, hold the same? Zeros say nothing.
static enum vote on_twin(const struct evidence *e, const struct hypothesis *h, int sample)
{
    const struct sample *s = &e->samples[sample];
    enum vote vote = SILENT;
    for (int way = -1; way <= 1; way += 2) {
        const int i = (int)s->i + way * h->rows, j = (int)s->j + way * h->columns;
        if (s->got == 0 || i < 0 || i >= e->f->M || j < 0 || j >= e->f->N)
            continue;
        if ((double)e->p->C.data[(size_t)i * (size_t)e->f->N + (size_t)j] == s->got)
            return FOR;
        vote = AGAINST;
    }
    return vote;
}

// The nearest distance is named.
struct cause only_twin(const struct evidence *e)
{
    const struct findings *f = e->f;
    if (f->poison == f->wrong || f->changed[AGAIN] > 0)
        return none;
    for (int number = 0; number < 16; number++) {
        const bool rows = number % 2 == 0;
        const int far = 1 << number / 2;
        struct hypothesis by = {.rows = rows ? far : 0, .columns = rows ? 0 : far};
        if (!is_accepted(e, &by, on_twin))
            continue;
        int first = rows ? f->i_min : f->j_min, limit = rows ? f->N : f->K;
        long past = (long)((rows ? f->M : f->N) - limit) * (rows ? f->N : f->M);
        if (first == limit && f->wrong == past)
            return caused("sum", "from %c on %ss hold the same: the last one is %c-1, and not %c-1",
                          rows ? 'N' : 'K', rows ? "row" : "column", rows ? 'M' : 'N',
                          rows ? 'N' : 'K');
        return caused("sum",
                      "%ss that are %d apart hold the same: has each its own sum, and its own %s?",
                      rows ? "row" : "column", far, rows ? "row of A" : "column of B");
    }
    return none;
}
