// SPDX-License-Identifier: MIT
// Which calls a kernel gets: nobody knows before, and none shows whether it is timed.
#include "judge.h"

#include <string.h>

// A range for each dimension; FIT: whole tiles; LESS, MORE: one element less, or one more; SAME: as
// M is.
enum { FIT = -1, LESS = -2, MORE = -3, SAME = -4 };
// As far as make check goes: shapes.c of common/, and DEEPER of workbook/race/tools.py.
enum { LONGEST = 4201 };
struct range {
    int least, most;
};
struct kind {
    const char *group;
    struct range m, n, k;
};
static const struct kind kinds[] = {
    {"whole tiles", {FIT, 0}, {FIT, 0}, {FIT, 0}},
    {"whole tiles", {FIT, 0}, {FIT, 0}, {FIT, 0}},
    {"edges", {LESS, 0}, {FIT, 0}, {FIT, 0}},
    {"edges", {MORE, 0}, {FIT, 0}, {FIT, 0}},
    {"edges", {FIT, 0}, {LESS, 0}, {FIT, 0}},
    {"edges", {FIT, 0}, {MORE, 0}, {FIT, 0}},
    {"edges", {FIT, 0}, {FIT, 0}, {LESS, 0}},
    {"edges", {FIT, 0}, {FIT, 0}, {MORE, 0}},
    {"edges", {LESS, 0}, {LESS, 0}, {LESS, 0}},
    {"edges", {MORE, 0}, {MORE, 0}, {MORE, 0}},
    {"rectangles", {2, 20}, {21, 60}, {61, 150}},
    {"rectangles", {61, 150}, {2, 20}, {21, 60}},
    {"rectangles", {21, 60}, {61, 150}, {2, 20}},
    {"rectangles", {90, 180}, {90, 180}, {90, 180}},
    {"rectangles", {2, 20}, {2, 20}, {2, 20}},
    {"rectangles", {2, 20}, {SAME, 0}, {SAME, 0}},
    {"rectangles", {21, 150}, {SAME, 0}, {SAME, 0}},
    {"tall, wide, deep", {700, 1300}, {2, 9}, {2, 9}},
    {"tall, wide, deep", {2, 9}, {700, 1300}, {2, 9}},
    {"tall, wide, deep", {2, 9}, {2, 9}, {700, 1300}},
    {"tall, wide, deep", {4097, LONGEST}, {2, 9}, {2, 9}}, // past a buffer of 4096 elements
    {"tall, wide, deep", {2, 9}, {4097, LONGEST}, {2, 9}},
    {"tall, wide, deep", {2, 9}, {2, 9}, {4097, LONGEST}},
    {"tall, wide, deep", {130, 220}, {130, 220}, {2, 9}},
    {"tall, wide, deep", {130, 220}, {2, 9}, {130, 220}},
    {"tall, wide, deep", {2, 9}, {130, 220}, {130, 220}},
    {"single rows, columns", {1, 1}, {2, 90}, {2, 90}},
    {"single rows, columns", {2, 90}, {1, 1}, {2, 90}},
    {"single rows, columns", {2, 90}, {2, 90}, {1, 1}},
    {"single rows, columns", {1, 1}, {1, 1}, {2, 90}},
    {"single rows, columns", {1, 1}, {2, 90}, {1, 1}},
    {"single rows, columns", {2, 90}, {1, 1}, {1, 1}},
    {"single rows, columns", {1, 1}, {1, 1}, {1, 1}},
    {"single rows, columns", {1, 1}, {1100, 1300}, {21, 60}},
    {"single rows, columns", {1, 1}, {21, 60}, {1100, 1300}},
    {"single rows, columns", {1100, 1300}, {1, 1}, {21, 60}},
    {"single rows, columns", {21, 60}, {1, 1}, {1100, 1300}},
    {"single rows, columns", {130, 220}, {130, 220}, {1, 1}},
    {"single rows, columns", {1, 1}, {1, 1}, {4097, LONGEST}},
    // For labs in C, which has arrays of a fixed size: an emulated kernel would take minutes.
    // None has a C of that size: a kernel may print each element.
    {"tall, wide, deep", {2, 4}, {1100, 1300}, {1100, 1300}}, // past a buffer of 1024 x 1024: for B
    {"tall, wide, deep", {1100, 1300}, {2, 4}, {1100, 1300}}, //   for A
};
enum { KINDS = sizeof kinds / sizeof kinds[0], OF_ALL = KINDS - 2 };
enum { TIMED_SHAPES = 2, MIXED_IN = 8, MOST_K = 4096 };
static int kinds_of_lab = OF_ALL;
enum { FIT_TRIES = 1000 };

// Whole tiles that cover this many elements.
static int cover(int count, int tile)
{
    return ((count - 1) / tile + 1) * tile;
}

static int whole_tiles(int tile)
{
    return cover(24 + (int)draw(60), tile);
}

static int size_in(struct range range, int tile, int M)
{
    if (range.least == SAME)
        return M;
    if (range.least == FIT)
        return whole_tiles(tile);
    if (range.least == LESS)
        return whole_tiles(tile) - 1;
    if (range.least == MORE)
        return whole_tiles(tile) + 1;
    return range.least + (int)draw((uint64_t)(range.most - range.least + 1));
}

static struct call shape(const struct kind *kind, struct tile tile)
{
    struct call call = {.group = kind->group, .verdict = "skipped", .method = ""};
    call.M = size_in(kind->m, tile.m, 0);
    call.N = size_in(kind->n, tile.n, call.M);
    call.K = size_in(kind->k, tile.k, call.M);
    return call;
}

// Do A and B end where memory does, if they are put there?
static bool fits(const struct call *call)
{
    const size_t K = (size_t)call->K, unit = ALIGNMENT / sizeof(real);
    return (size_t)call->M * K % unit == 0 && K * (size_t)call->N % unit == 0;
}

static struct plan room(int count)
{
    return (struct plan){scratch((size_t)count, sizeof(struct call)), 0};
}

// Once with either set of inputs.
static void add(struct plan *plan, struct call call, unsigned without)
{
    for (enum data_set set = INTEGERS; set <= UNIFORM; set++) {
        if (without & (set == INTEGERS ? WHOLE : FRACTIONS))
            continue;
        call.set = set;
        plan->calls[plan->count++] = call;
    }
}

static void swap(struct plan *plan, int i, int j)
{
    struct call other = plan->calls[j];
    plan->calls[j] = plan->calls[i];
    plan->calls[i] = other;
}

void plan_shuffle(struct plan *plan)
{
    for (int i = plan->count - 1; i > 0; i--)
        swap(plan, i, (int)draw((uint64_t)i + 1));
}

// The next call that is most like this one: of its shape, and of its data, which lie in the same
// place then. 0: there is none of its shape.
static int most_alike(const struct plan *plan, int of)
{
    const struct call *calls = plan->calls, *call = &calls[of];
    int found = 0;
    for (int c = of + 1; c < plan->count; c++) {
        if (calls[c].M != call->M || calls[c].N != call->N || calls[c].K != call->K)
            continue;
        if (calls[c].set == call->set)
            return c;
        found = found == 0 ? c : found;
    }
    return found;
}

void plan_neighbours(struct plan *plan)
{
    for (int c = 0; c < plan->count; c++) {
        int next = most_alike(plan, c);
        if (next != 0)
            swap(plan, c + 1, next);
    }
}

static struct call timed[TIMED_SHAPES];

// Odd: there is a rest, by whatever power of two a loop is unrolled.
static int odd_near(int size)
{
    int near = size / 8 + 1;
    return (size + (int)draw((uint64_t)near) - near / 2) | 1;
}

void plan_for(int size, bool in_c)
{
    kinds_of_lab = in_c ? KINDS : OF_ALL;
    for (int t = 0; t < TIMED_SHAPES; t++) {
        timed[t] =
            (struct call){size, size, size, .group = "large", .verdict = "skipped", .method = ""};
        if (t == 0) // a round square; the others are rectangles, where no size is another
            continue;
        timed[t].M = odd_near(size);
        timed[t].N = odd_near(size);
        timed[t].K = odd_near(size < MOST_K ? size : MOST_K - MOST_K / 16);
        timed[t].N += timed[t].N == timed[t].M ? 2 : 0;
        while (timed[t].K == timed[t].M || timed[t].K == timed[t].N)
            timed[t].K += 2;
    }
}

// Large is what goes on past one tile, however small the sizes that are timed.
static int at_least(int size, int tile)
{
    int least = tile + tile / 2 + 1;
    return size > least ? size : least;
}

static struct call large(int which, struct tile tile)
{
    struct call call = timed[which];
    call.M = at_least(call.M, tile.m);
    call.N = at_least(call.N, tile.n);
    call.K = at_least(call.K, tile.k);
    return call;
}

struct plan plan_shapes(struct tile tile, unsigned without)
{
    struct plan plan = room(4 * kinds_of_lab + 4 * TIMED_SHAPES + 1);
    for (int k = 0; k < kinds_of_lab; k++) {
        struct call call = shape(&kinds[k], tile);
        add(&plan, call, without);
        if (k == 0 || strcmp(kinds[k].group, kinds[k - 1].group) != 0) // the same data set again
            plan.calls[plan.count] = plan.calls[plan.count - 1], plan.count++;
        bool whole = fits(&call) || (without & WHOLE) != 0;
        for (int try = 0; try < FIT_TRIES && !fits(&call); try++)
            call = shape(&kinds[k], tile);
        call.set = INTEGERS; // that of the calls with A and B at their ends
        if (!whole && fits(&call))
            plan.calls[plan.count++] = call;
    }
    for (int t = 0; t < TIMED_SHAPES; t++) {
        struct call call = large(t, tile);
        add(&plan, call, without);
        // What is timed was right here.
        if (call.M != timed[t].M || call.N != timed[t].N || call.K != timed[t].K)
            add(&plan, timed[t], without);
    }
    struct call edge =
        large(TIMED_SHAPES - 1, tile); // A and B end where memory does, and no vector fits a row
    edge.K = cover(edge.K, ALIGNMENT / (int)sizeof(real));
    edge.N |= 1;
    edge.set = INTEGERS;
    if (!(without & WHOLE))
        plan.calls[plan.count++] = edge;
    return plan;
}

struct plan plan_anew(struct tile tile)
{
    struct plan plan = room(OF_ALL + 1);
    for (int first = 0, k = 1; k <= OF_ALL; k++) {
        if (k < OF_ALL && strcmp(kinds[k].group, kinds[first].group) == 0)
            continue;
        struct call call = shape(&kinds[first + (int)draw((uint64_t)(k - first))], tile);
        call.set = draw(2) == 0 ? INTEGERS : UNIFORM;
        plan.calls[plan.count++] = call;
        first = k;
    }
    plan.calls[plan.count] = large(TIMED_SHAPES - 1, tile);
    plan.calls[plan.count++].set = UNIFORM;
    return plan;
}

struct plan plan_rounds(struct tile tile, int rounds, unsigned without)
{
    struct plan plan = room(2 * (TIMED_SHAPES * rounds + MIXED_IN));
    for (int t = 0; t < TIMED_SHAPES; t++) {
        struct call call = timed[t];
        call.timed = true;
        for (int r = 0; r < rounds; r++)
            add(&plan, call, without);
    }
    for (int m = 0; m < MIXED_IN; m++)
        add(&plan, shape(&kinds[draw((uint64_t)kinds_of_lab)], tile), without);
    return plan;
}

static int a_little_more(int size, uint64_t most)
{
    return size + (size < LONGEST ? (int)draw(most) : 0);
}

struct plan plan_few(const char *shapes, bool exact)
{
    enum { MOST_FEW = 16, VECTOR = 16 };
    const uint64_t more = exact ? 1 : 3;
    struct plan plan = room(MOST_FEW);
    struct call call = {.group = "for a tool", .set = UNIFORM, .verdict = "skipped", .method = ""};
    int M, N, K, read = 0;
    struct call said = call;
    while (plan.count < MOST_FEW && sscanf(shapes, "%d,%d,%d%n", &M, &N, &K, &read) == 3) {
        shapes += read;
        if (M != said.M || N != said.N || K != said.K) { // twice the same is twice the same
            said.M = M, said.N = N, said.K = K;
            call = said;
            const uint64_t most = M == 1 && N == 1 && K == 1 ? 1 : more;
            call.M = a_little_more(M, most);
            call.N = N % VECTOR == 0 ? N : a_little_more(N, most); // rows of whole vectors stay so
            call.K = a_little_more(K, most);
        }
        plan.calls[plan.count++] = call;
    }
    return plan;
}
