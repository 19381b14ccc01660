// SPDX-License-Identifier: MIT
// Which calls a kernel gets: nobody knows before, and none shows whether it is timed.
#include "judge.h"

// A range for each dimension; FIT: whole tiles, about this many elements; OFF: one more or one less.
enum { FIT = -1, OFF = -2 };
struct range {
    int least, most;
};
struct kind {
    const char *group;
    struct range m, n, k;
};
#define FROM(least, most)                                                                          \
    {                                                                                              \
        least, most                                                                                \
    }
#define TILES                                                                                      \
    {                                                                                              \
        FIT, 0                                                                                     \
    }
#define BESIDE                                                                                     \
    {                                                                                              \
        OFF, 0                                                                                     \
    }
static const struct kind kinds[] = {
    {"whole tiles", TILES, TILES, TILES},
    {"whole tiles", TILES, TILES, TILES},
    {"edges", BESIDE, TILES, TILES},
    {"edges", TILES, BESIDE, TILES},
    {"edges", TILES, TILES, BESIDE},
    {"edges", BESIDE, BESIDE, BESIDE},
    {"rectangles", FROM(2, 20), FROM(21, 60), FROM(61, 150)},
    {"rectangles", FROM(61, 150), FROM(2, 20), FROM(21, 60)},
    {"rectangles", FROM(21, 60), FROM(61, 150), FROM(2, 20)},
    {"rectangles", FROM(90, 180), FROM(90, 180), FROM(90, 180)},
    {"tall, wide, deep", FROM(700, 1300), FROM(2, 9), FROM(2, 9)},
    {"tall, wide, deep", FROM(2, 9), FROM(700, 1300), FROM(2, 9)},
    {"tall, wide, deep", FROM(2, 9), FROM(2, 9), FROM(700, 1300)},
    {"single rows, columns", FROM(1, 1), FROM(2, 90), FROM(2, 90)},
    {"single rows, columns", FROM(2, 90), FROM(1, 1), FROM(2, 90)},
    {"single rows, columns", FROM(2, 90), FROM(2, 90), FROM(1, 1)},
    {"single rows, columns", FROM(1, 1), FROM(1, 1), FROM(1, 90)},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], TIMED_SHAPES = 2, MIXED_IN = 8, MOST_K = 4096 };

// Whole tiles that cover this many elements.
static int cover(int count, int tile)
{
    return ((count - 1) / tile + 1) * tile;
}

static int whole_tiles(int tile)
{
    return cover(24 + (int)draw(60), tile);
}

static int size_in(struct range range, int tile)
{
    if (range.least == FIT)
        return whole_tiles(tile);
    if (range.least == OFF) {
        int size = whole_tiles(tile);
        return size + (size > 1 && draw(2) == 0 ? -1 : 1);
    }
    return range.least + (int)draw((uint64_t)(range.most - range.least + 1));
}

static struct call shape(const struct kind *kind, struct tile tile)
{
    struct call call = {.group = kind->group, .verdict = "skipped", .method = ""};
    call.M = size_in(kind->m, tile.m);
    call.N = size_in(kind->n, tile.n);
    call.K = size_in(kind->k, tile.k);
    return call;
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

static void shuffle(struct plan *plan)
{
    for (int i = plan->count - 1; i > 0; i--) {
        int j = (int)draw((uint64_t)i + 1);
        struct call other = plan->calls[j];
        plan->calls[j] = plan->calls[i];
        plan->calls[i] = other;
    }
}

static struct call timed[TIMED_SHAPES];

void plan_timed(int size)
{
    int near = size / 8 + 1;
    for (int t = 0; t < TIMED_SHAPES; t++) {
        timed[t] =
            (struct call){size, size, size, .group = "large", .verdict = "skipped", .method = ""};
        if (t == 0) // a round square; the others are rectangles of no round sizes
            continue;
        timed[t].M += (int)draw((uint64_t)near) - near / 2;
        timed[t].N += (int)draw((uint64_t)near) - near / 2;
        timed[t].K += (int)draw((uint64_t)near) - near / 2;
        timed[t].K = timed[t].K < MOST_K ? timed[t].K : MOST_K;
    }
}

struct plan plan_shapes(struct tile tile, unsigned without)
{
    struct plan plan = room(2 * (KINDS + TIMED_SHAPES));
    for (int k = 0; k < KINDS; k++)
        add(&plan, shape(&kinds[k], tile), without);
    for (int t = 0; t < TIMED_SHAPES; t++)
        add(&plan, timed[t], without);
    shuffle(&plan);
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
        add(&plan, shape(&kinds[draw(KINDS)], tile), without);
    shuffle(&plan);
    return plan;
}

struct plan plan_few(struct tile tile)
{
    struct plan plan = room(2);
    int deep = 2 * tile.k + 1; // three turns, of which the last is not whole
    struct call around = {.group = "a tile and its edges", .verdict = "skipped", .method = ""};
    struct call little = {1, 1, 1, "little", false, UNIFORM, "skipped", "", 0, 0};
    little.M += (int)draw(4);
    little.N += (int)draw(4);
    little.K += (int)draw(8);
    around.M = cover(25 + (int)draw(8), tile.m) + 1 + (int)draw(2);
    around.N = cover(25 + (int)draw(8), tile.n) + 1 + (int)draw(2);
    around.K = (deep < 17 ? 17 : deep) + (int)draw(3);
    around.set = UNIFORM;
    plan.calls[plan.count++] = around;
    plan.calls[plan.count++] = little;
    return plan;
}
