// SPDX-License-Identifier: MIT
// Fills in C as each row of pictures.def says, and prints those whose likely cause has other words;
// then how many have the right ones.
#include "diagnosis/diagnosis.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what the rows are made of ------------------------------------------------------------------
#define T(M_, N_, K_) ((struct tile){M_, N_, K_})
#define S(M_, N_, K_) ((struct tile){M_, N_, K_})
#define FIRST S(0, 0, 0)
#define VALUE(TILE, SHAPE, WORDS, VALUE_) ROW(INTEGERS, TILE, SHAPE, WORDS, i, j, a *b, VALUE_)
#define MOVED(TILE, SHAPE, WORDS, I, J) ROW(INTEGERS, TILE, SHAPE, WORDS, I, J, a *b, sum)
#define ADDED_UP(TILE, SHAPE, WORDS, TERM) ROW(INTEGERS, TILE, SHAPE, WORDS, i, j, TERM, sum)
#define REAL(TILE, SHAPE, WORDS, TERM, VALUE_) ROW(UNIFORM, TILE, SHAPE, WORDS, i, j, TERM, VALUE_)

static double bits(double x, int count, bool cut)
{
    int exponent;
    frexp(x, &exponent);
    const double unit = ldexp(1, exponent - count);
    return (cut ? trunc(x / unit) : rint(x / unit)) * unit;
}

static double half(double x)
{
    const double rounded = bits(x, 11, false);
    return fabs(rounded) > 65504 ? copysign(INFINITY, rounded) : rounded;
}

// The right element; past the last row or column 0.
static double at(const struct problem *p, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < p->K && i < p->M && j < p->N; k++)
        sum += (double)p->A.data[i * p->K + k] * (double)p->B.data[k * p->N + j];
    return sum;
}

// ---- the rows -----------------------------------------------------------------------------------
struct picture {
    int line;
    enum data_set set;
    struct tile tile, shape; // M, N, K; 0: the first of a rehearsal
    const char *words;
};
// False: it is not written.
static bool element(int line, const struct problem *p, int i, int j, double *value)
{
    const int M = p->M, N = p->N, K = p->K;
    const double X = -INFINITY; // never written
    (void)M, (void)N;
    switch (line) {
#define ROW(SET, TILE, SHAPE, WORDS, I, J, TERM, VALUE_)                                           \
    case __LINE__: {                                                                               \
        const int row = I, column = J;                                                             \
        double sum = 0;                                                                            \
        for (int k = 0; k < K && row < M && column < N; k++) {                                     \
            const double a = (double)p->A.data[row * K + k];                                       \
            const double b = (double)p->B.data[k * N + column];                                    \
            sum += TERM;                                                                           \
        }                                                                                          \
        *value = VALUE_;                                                                           \
        return *value != X || p->set == UNIFORM;                                                   \
    }
#include "pictures.def"
    }
    return false;
}

static struct cause cause_of(const struct picture *row, struct problem *p)
{
    struct findings f;
    const char *method;
    begin_findings(p, &f);
    poison_output(p);
    for (int i = 0; i < p->M; i++)
        for (int j = 0; j < p->N; j++) {
            double value;
            if (element(row->line, p, i, j, &value))
                p->C.data[i * p->N + j] = (real)value;
            else
                f.unwritten++;
        }
    f.changed[OTHER_C] = f.unwritten; // in the trial that changes what C held
    f.trials = OTHER_C;
    f.after_integers = row->set == UNIFORM;
    verify_product(p, 1e9, true, &f.found, &method);
    diagnose(p, &f);
    return f.cause;
}

// Shapes of the battery are right just where K has an even number of tiles.
static struct cause of_shapes(const struct tile tile)
{
    const struct findings f = {.M = 64, .N = 64, .K = 3 * tile.k, .tile = tile};
    struct outcome shapes[MAX_SHAPES];
    int count = 0;
    for (; battery_shape(tile, count, &shapes[count]); count++)
        shapes[count].right = (shapes[count].K + tile.k - 1) / tile.k % 2 == 0;
    return likely_cause(&f, shapes, count);
}

int main(void)
{
    const struct picture pictures[] = {
#undef ROW
#define ROW(SET, TILE, SHAPE, WORDS, ...) {__LINE__, SET, TILE, SHAPE, WORDS},
#include "pictures.def"
        {.line = 0},
    };
    int count = 0, named = 0;
    for (const struct picture *row = pictures; row->line != 0; row++, count++) {
        struct outcome shape = {.M = row->shape.m, .N = row->shape.n, .K = row->shape.k};
        struct problem p;
        if (shape.M == 0)
            rehearsal_shape(row->tile, 0, &shape);
        problem_create(&p, row->tile, shape.M, shape.N, shape.K);
        fill_inputs(&p, row->set, 1);
        const struct cause cause = cause_of(row, &p);
        problem_free(&p);
        if (strstr(cause.kind != NULL ? cause.text : "none", row->words) != NULL)
            named++;
        else
            printf("'%s' is taken for '%s'\n", row->words,
                   cause.kind != NULL ? cause.text : "none");
    }
    const struct cause even = of_shapes((struct tile){16, 16, 16});
    if (even.kind == NULL || strstr(even.text, "an odd number of tiles of 16") == NULL)
        printf("an odd number of tiles is taken for '%s'\n", even.text);
    printf("%d of %d are named\n", named, count);
}
