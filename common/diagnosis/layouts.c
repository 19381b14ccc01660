// SPDX-License-Identifier: MIT
// A, B and C taken to be laid out otherwise than they are: one of them, or several at once. Each
// has five ways; of two that are the same in a shape the first counts.
#include "diagnosis/cause.h"
#include "strict.h"

#include <string.h>

// How long a row is taken to be: as it is, as that of the other inner dimension, or M; or row and
// column are exchanged, with the right length of a column, or with that of a row.
enum { RIGHT, OTHER, BY_M, BY_COLUMN, EXCHANGED, WAYS };
enum { A, B, C, MATRICES };

static int way_of(int number, int matrix)
{
    return (matrix == A ? number : matrix == B ? number / WAYS : number / (WAYS * WAYS)) % WAYS;
}

// Of a row, or of a column, as it is taken to be.
static size_t length(const struct place *at, int matrix)
{
    size_t row = matrix == A ? at->K : at->N, other = matrix == A ? at->N : at->K;
    size_t column = matrix == B ? at->K : at->M;
    const size_t all[] = {row, other, at->M, column, row};
    return all[way_of(at->number, matrix)];
}

static bool by_columns(const struct place *at, int matrix)
{
    return way_of(at->number, matrix) >= BY_COLUMN;
}

static size_t flat(const struct place *at, int matrix, size_t row, size_t column)
{
    size_t leading = length(at, matrix);
    return by_columns(at, matrix) ? column * leading + row : row * leading + column;
}

static bool differs(const struct place *at, int matrix)
{
    size_t row = matrix == A ? at->K : at->N, other = matrix == A ? at->N : at->K;
    size_t column = matrix == B ? at->K : at->M;
    const bool all[] = {true, other != row, at->M != row && at->M != other, true, column != row};
    return all[way_of(at->number, matrix)];
}

bool can_be_told(const struct place *at)
{
    return differs(at, A) && differs(at, B) && differs(at, C);
}

struct product laid_out(const struct place *at, size_t k)
{
    return (struct product){flat(at, A, at->row, k), flat(at, B, k, at->col), 1};
}

bool stored_there(struct place *at, int nth)
{
    size_t leading = length(at, C), here = at->row * at->N + at->col;
    bool columns = by_columns(at, C);
    size_t lines = columns ? at->N : at->M, end = columns ? at->M : at->N;
    size_t last = here / leading < lines ? here / leading : lines - 1;
    if ((size_t)nth > last || here - (last - (size_t)nth) * leading >= end)
        return false;
    size_t line = last - (size_t)nth, in = here - line * leading;
    at->row = columns ? in : line;
    at->col = columns ? line : in;
    return true;
}

int matrices_of(int layout)
{
    int count = 0;
    for (int m = A; m < MATRICES; m++)
        count += way_of(layout, m) != RIGHT;
    return count;
}

static const char *const is[] = {"(i,k) is A[i*K + k]", "(k,j) is B[k*N + j]",
                                 "(i,j) belongs at C[i*N + j]"};
static const char *const taken[MATRICES][WAYS] = {
    {NULL, "rows of A are taken to be N long", "rows of A are taken to be M long",
     "A is read column by column", "row and column of A are exchanged"},
    {NULL, "rows of B are taken to be K long", "rows of B are taken to be M long",
     "B is read column by column", "row and column of B are exchanged"},
    {NULL, "rows of C are taken to be K long", "rows of C are taken to be M long",
     "C is stored column by column", "row and column of C are exchanged"},
};

// Where M is the other inner dimension, too, a row may have been taken to be as long as either.
static const char *or_m(int way, int matrix, const struct findings *f)
{
    if (way != OTHER || f->M != (matrix == A ? f->N : f->K))
        return taken[matrix][way];
    const char *const either[] = {"rows of A are taken to be N or M long",
                                  "rows of B are taken to be K or M long",
                                  "rows of C are taken to be K or M long"};
    return either[matrix];
}

struct cause layout_cause(int layout, const struct findings *f)
{
    struct cause cause = {"index", ""};
    char rights[128] = "";
    size_t at = 0, right = 0;
    for (int m = A; m < MATRICES; m++) {
        int way = way_of(layout, m);
        if (way == RIGHT)
            continue;
        at += (size_t)snprintf(cause.text + at, sizeof cause.text - at, "%s%s",
                               at > 0 ? ", and " : "", or_m(way, m, f));
        right += (size_t)snprintf(rights + right, sizeof rights - right, "%s%s",
                                  right > 0 ? ", " : "", is[m]);
    }
    // Three of them have names of their own.
    if (layout == BY_COLUMN)
        at = (size_t)snprintf(cause.text, sizeof cause.text,
                              "this is A transposed times B: A is row-major");
    if (layout == BY_COLUMN * WAYS)
        at = (size_t)snprintf(cause.text, sizeof cause.text,
                              "this is A times B transposed: B is row-major");
    if (layout == BY_COLUMN * (1 + WAYS + WAYS * WAYS) && f->M == f->N && f->N == f->K)
        at = (size_t)snprintf(cause.text, sizeof cause.text,
                              "this is B times A, or all three are taken to be column-major");
    snprintf(cause.text + at, sizeof cause.text - at, "%s%s",
             strchr(cause.text, ':') != NULL ? ", " : ": ", rights);
    return cause;
}
