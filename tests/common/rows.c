// SPDX-License-Identifier: MIT
// Computes C as each row of diagnosis/mistakes.def says, and all layouts of several
// matrices, at the first shape of a rehearsal at which that is wrong. Prints those that are not
// named, or named otherwise, and then how many there were.
#include "diagnosis/cause.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Those of the labs, but for smaller blocks of lab 03 and tiles of lab 07, as these take long.
static const struct tile tiles_of_labs[] = {
    {1, 1, 1},   {1, 8, 1},    {6, 16, 1},   {6, 32, 32}, {16, 16, 1},
    {16, 64, 1}, {16, 16, 16}, {32, 32, 32}, {32, 32, 8},
};
enum { MATRICES = 3, WAYS = 6, MOST = 512 };
static const size_t numbers[] = {5, 11, 40}; // of a row that has one

// A mistake, or a combination of layouts.
struct way {
    const struct mistake *rows[MATRICES]; // for the index of A, of B, of C; NULL: it is right
    size_t n;                             // the number in the words
    char words[400];
};
static struct way ways[MOST];
static int count, rows, wrong, named;
static bool far_outside; // of A or B something is read, where even a trial has no 0

static void list_ways(void)
{
    const struct mistake *layouts[MATRICES][WAYS] = {{NULL}};
    int of[MATRICES] = {1, 1, 1};
    for (const struct mistake *m = mistakes; m->line != 0; m++)
        if (m->form >= OF_MATRIX_A && m->form <= OF_MATRIX_C)
            layouts[m->form - OF_MATRIX_A][of[m->form - OF_MATRIX_A]++] = m;
        else
            for (int n = 0; n < (strchr(m->cause.text, '#') != NULL ? 3 : 1); n++) {
                ways[count] = (struct way){{m, m, m}, numbers[n], ""};
                const char *words = strchr(m->cause.text, '@') != NULL
                                        ? strchr(m->cause.text, '@') + 1
                                        : m->cause.text;
                strcpy(ways[count++].words, worded("", words, numbers[n], "").text);
            }
    rows = count;
    for (int l = 1; l < WAYS * WAYS * WAYS; l++) {
        struct way *way = &ways[count++];
        const int numbers[] = {l % WAYS, l / WAYS % WAYS, l / WAYS / WAYS};
        for (int m = 0; m < MATRICES; m++) {
            way->rows[m] = layouts[m][numbers[m]];
            if (way->rows[m] != NULL && way->words[0] != '\0')
                strcat(way->words, ", and ");
            if (way->rows[m] != NULL)
                strcat(way->words, way->rows[m]->cause.text);
        }
        if (strcmp(way->words, "A is read column by column") == 0)
            strcpy(way->words, "this is A transposed times B");
        if (strcmp(way->words, "B is read column by column") == 0)
            strcpy(way->words, "this is A times B transposed");
        if (l % WAYS == 4 && l % (WAYS * WAYS) / WAYS == 4 && l / WAYS / WAYS == 4)
            strcpy(way->words, "this is B times A, or all three are taken to be column-major");
    }
}

// What lies outside of A and B is `outside`.
static double sum_of(const struct place *at, const int line[MATRICES], double outside)
{
    const struct problem *p = at->e->p;
    double sum = 0;
    for (size_t k = 0; k < (size_t)p->K; k++) {
        struct term one = term(line[0], at, k);
        if (line[1] != line[0])
            one.b = term(line[1], at, k).b;
        if (one.count == 0 || one.a == PADDED || one.b == PADDED)
            continue;
        const size_t guard = GUARD_BYTES / sizeof(real);
        far_outside = far_outside || one.a >= elements_of(&p->A) + guard ||
                      one.b >= elements_of(&p->B) + guard;
        double a = one.a < elements_of(&p->A) ? (double)p->A.data[one.a] : outside;
        double b = one.b < elements_of(&p->B) ? (double)p->B.data[one.b] : outside;
        sum += one.count == ADDED ? a + b : one.count * a * b;
    }
    return sum;
}

// Stores in C what the mistake would, and counts what it stores outside.
static void leave(const struct problem *p, struct findings *f, const struct way *way,
                  const double *right, double outside)
{
    const struct evidence e = {.p = p, .f = f};
    const enum form form = way->rows[2] != NULL ? way->rows[2]->form : SUM;
    int line[MATRICES];
    for (int m = 0; m < MATRICES; m++)
        line[m] = way->rows[m] != NULL ? way->rows[m]->line : 0;
    for (size_t at = 0; at < elements_of(&p->C); at++) {
        const struct place place = {&e, at / (size_t)p->N, at % (size_t)p->N, way->n, right[at]};
        struct term one = term(line[2], &place, 0);
        bool known = one.to != UNKNOWN && term(line[0], &place, 0).a != UNKNOWN &&
                     term(line[1], &place, 0).b != UNKNOWN;
        if (form == NEVER_WRITTEN && known && one.count != 0)
            continue;
        double value = !known || form == NEVER_WRITTEN ? right[at]
                       : form == CARRIED               ? one.element
                                                       : sum_of(&place, line, outside);
        size_t to = known ? one.to : at;
        if (to < elements_of(&p->C))
            p->C.data[to] = (real)value;
        else if (to != NOWHERE && f->found.guard_words[2]++ == 0)
            f->found.guard_at[2] = (long)to;
    }
}

// True: C is wrong here.
static bool is_wrong(struct problem *p, struct findings *f, const struct way *way,
                     const double *right, double outside)
{
    const char *method;
    begin_findings(p, f);
    f->found.got = 1; // one more than f->found.expected, for a sum that is off by the same number
    poison_output(p);
    leave(p, f, way, right, outside);
    return !verify_product(p, 1e9, true, &f->found, &method) || f->found.guard_words[2] > 0;
}

static bool is_named(const char *text, const char *words)
{
    char start[200];
    snprintf(start, sizeof start, "%s", words);
    return strstr(text, start) != NULL;
}

// True: C is wrong at this shape.
static bool try(struct problem *p, const struct way *way, const double *right)
{
    struct findings f;
    far_outside = false;
    if (!is_wrong(p, &f, way, right, NAN) || far_outside)
        return far_outside;
    for (size_t at = 0; at < elements_of(&p->C); at++)
        f.unwritten += is_poison(p->C.data[at]);
    f.changed[OTHER_C] = f.unwritten; // in the trial that changes what C held
    f.trials = OTHER_C;
    wrong++;
    diagnose(p, &f);
    struct cause cause = f.cause;
    if (f.nan > f.poison) { // it reads outside of A, or B: in another trial there is 0
        is_wrong(p, &f, way, right, 0);
        f.trials = OTHER_B;
        cause = computed_cause(p, &f);
    }
    if (is_named(cause.text, way->words))
        named++;
    else
        printf("%d x %d x %d, %d %d %d: '%s' is taken for '%s'\n", p->tile.m, p->tile.n, p->tile.k,
               p->M, p->N, p->K, way->words, cause.kind != NULL ? cause.text : "none");
    return true;
}

static double *product(const struct problem *p)
{
    const struct findings f = {.M = p->M, .N = p->N, .K = p->K, .tile = p->tile};
    const struct evidence e = {.p = p, .f = &f};
    double *right = scratch(elements_of(&p->C), sizeof *right);
    for (size_t at = 0; at < elements_of(&p->C); at++) {
        const struct place place = {&e, at / (size_t)p->N, at % (size_t)p->N, 0, 0};
        right[at] = sum_of(&place, (const int[]){0, 0, 0}, NAN);
    }
    return right;
}

// With an argument, for the first tile alone.
int main(int words, char **word)
{
    const size_t tiles = sizeof tiles_of_labs / sizeof tiles_of_labs[0];
    (void)word;
    list_ways();
    for (size_t t = 0; t < (words > 1 ? 1 : tiles); t++) {
        struct outcome shape;
        bool done[MOST] = {false};
        for (int index = 0; rehearsal_shape(tiles_of_labs[t], index, &shape); index++) {
            struct problem p;
            problem_create(&p, tiles_of_labs[t], shape.M, shape.N, shape.K);
            fill_inputs(&p, INTEGERS, 1);
            double *right = product(&p);
            for (int w = 0; w < (t == 0 ? count : rows); w++) // layouts have no tiles
                if (!done[w])
                    done[w] = try(&p, &ways[w], right);
            free(right);
            problem_free(&p);
        }
    }
    printf("%d of %d are named\n", named, wrong);
}
