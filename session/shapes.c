// SPDX-License-Identifier: MIT
// The battery of shapes behind --check. A square that is a multiple of the tile hides most
// mistakes: swapped leading dimensions, forgotten edges, a barrier that part of a group does not
// reach.
#include "session/session.h"

// M, N, K. T stands for whole tiles of this lab in that dimension, 32 elements or a little more;
// LESS and MORE for one element less and more; TWO and FOUR for so many tiles or more, of large
// ones for fewer. The shapes with the most informative failures come first.
enum { T = 0, LESS = -1, MORE = -2, TWICE_MORE = -3, TWO = -4, FOUR = -5 };
static const char whole[] = "whole tiles", edges[] = "edges", squares[] = "squares",
                  rectangles[] = "rectangles", thin[] = "tall, wide, deep",
                  single[] = "single rows, columns";
// clang-format off
static const struct {
    int M, N, K;
    const char *group;
} shapes[] = {
    // not about edges: several tiles of k, and not as many of rows as of columns
    {TWO, FOUR, FOUR, whole},
    {T, T, T, whole},         // and one
    {MORE, T, T, edges}, {FOUR, MORE, T, edges}, {T, T, MORE, edges}, // just beside them, a
    {LESS, T, T, edges}, {T, LESS, T, edges}, {T, T, LESS, edges},    //   dimension at a time; M is
                                           //   not K, so that a wrong leading dimension can be told
    {LESS, LESS, LESS, edges}, {MORE, MORE, MORE, edges},  //   and all at once
    {TWICE_MORE, MORE, LESS, edges}, {MORE, TWICE_MORE, T, edges}, // several tiles and a rest
    {T, MORE, TWICE_MORE, edges},                          //
    {16, 16, 16, squares}, {64, 64, 64, squares},          // powers of two
    {128, 256, 64, rectangles}, {96, 200, 72, rectangles}, // round numbers
    {7, 5, 3, rectangles}, {31, 37, 41, rectangles},       // primes, all different
    {127, 131, 113, rectangles},                           //
    {1021, 3, 5, thin}, {3, 1019, 5, thin}, {5, 3, 1031, thin}, // tall, wide, deep
    {4201, 5, 3, thin}, {5, 4201, 3, thin}, {3, 5, 4201, thin}, //   past 2048 and 4096
    // a row of A, a column of B, K = 1
    {1, 1029, 23, single}, {31, 1, 1019, single}, {17, 33, 1, single},
    {1, 1, 1037, single}, {1, 41, 1, single}, {43, 1, 1, single}, // a dot product, a row, a column
    {1, 1, 1, squares},                                    // the smallest
};
// clang-format on

static int multiple(int least, int tile)
{
    return (least - 1) / tile * tile + tile;
}

// If M is less than N and K, an index with a wrong leading dimension stays inside the matrix, where
// it can be recognized. One of the largest blocks is enough.
static int several(int code, int tile)
{
    int tiles = tile > 512 ? 1 : tile > 64 ? 3 : 4;
    return code == FOUR ? multiple(64, tiles * tile) : multiple(32, tiles > 3 ? 2 * tile : tile);
}

static int resolve(int code, int tile)
{
    int size = multiple(32, tile);
    switch (code) {
    case T:
        return size;
    case LESS:
        return size - 1;
    case MORE:
        return size + 1;
    case TWICE_MORE:
        return 2 * size + 1;
    case TWO:
    case FOUR:
        return several(code, tile);
    default:
        return code;
    }
}

int battery_size(void)
{
    return (int)(sizeof shapes / sizeof shapes[0]);
}

bool battery_shape(struct tile tile, int index, struct outcome *shape)
{
    if (index >= battery_size())
        return false;
    *shape = (struct outcome){.group = shapes[index].group, .method = ""};
    shape->M = resolve(shapes[index].M, tile.m);
    shape->N = resolve(shapes[index].N, tile.n);
    shape->K = resolve(shapes[index].K, tile.k);
    // Not less than N: a kernel that confuses the two must not read far outside.
    if (shapes[index].K == FOUR && shape->K < shape->N && shape->N < 1024)
        shape->K = multiple(shape->N, tile.k);
    return true;
}

// No square hides what is wrong there, nor a shape inside one tile: several tiles and a rest of
// rows and columns. K is whole tiles of it, so that no edge is blamed; and M the smallest, so that
// an index with a wrong leading dimension stays inside, where it can be told. The largest blocks
// are not needed whole. Then whole tiles, and a rest of K alone, where the lab has tiles of it.
bool rehearsal_shape(struct tile tile, int index, struct outcome *shape)
{
    int m = 2 * resolve(T, tile.m) + 1, n = 4 * resolve(T, tile.n) + 1, k = resolve(FOUR, tile.k);
    // Nor just before K, as if the last k were missing; nor is K what 16 columns of each tile come
    // to; and A and B end where a trap may lie.
    while (k <= m + 2 || k == (n + tile.n - 1) / tile.n * 16 ||
           k * (int)sizeof(real) % ALIGNMENT != 0)
        k += tile.k;
    // In the second one M and N are less than K, and not the same, nor half of it: which of them a
    // loop takes for K can be told.
    const struct outcome all[] = {
        {.M = m < 257 ? m : 257, .N = n < 769 ? n : 769, .K = k < 768 ? k : 768},
        {.M = resolve(T, tile.m), .N = 2 * resolve(T, tile.n), .K = 3 * resolve(T, tile.k) + 1},
        {.M = 33, .N = 29, .K = 9},
    };
    bool tiles_of_k = tile.k > 1 && all[1].K <= 1024 && all[1].N <= 1024;
    if (index > 0 && !tiles_of_k)
        index++;
    if (index >= (int)(sizeof all / sizeof all[0]))
        return false;
    *shape = all[index];
    shape->group = shape->method = "";
    return true;
}

void print_groups(const struct outcome *outcomes, int count)
{
    const char *const groups[] = {squares, whole, edges, rectangles, thin, single};
    printf("  shapes                 right of all\n");
    for (int g = 0; g < 6; g++) {
        int right = 0, all = 0;
        for (int o = 0; o < count; o++)
            if (outcomes[o].group == groups[g]) {
                right += outcomes[o].right;
                all++;
            }
        if (all > 0)
            printf("  %-22s %5d of %3d\n", groups[g], right, all);
    }
}
