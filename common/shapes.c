// SPDX-License-Identifier: MIT
// The battery of shapes behind --check. A square that is a multiple of the tile hides most
// mistakes: swapped leading dimensions, forgotten edges, a barrier that part of a group does not
// reach.
#include "lab.h"

// M, N, K. A zero stands for the lab's own tile in that dimension, -1 and +1 for one less and more.
enum { T = 0, LESS = -1, MORE = -2, TWICE_MORE = -3 };
// clang-format off
static const int shapes[][3] = {
    {1, 1, 1},                                             // the smallest
    {1, 1, 37},    {1, 41, 1},    {43, 1, 1},              // a dot product, a row, a column
    {1, 29, 23},   {31, 1, 19},   {17, 33, 1},             // one row of A, one column of B, K = 1
    {7, 5, 3},     {31, 37, 41},  {127, 131, 113},         // primes, all different
    {T, T, T},     {16, 16, 16},  {64, 64, 64},            // multiples, powers of two
    {LESS, T, T},  {MORE, T, T},                           // just beside the tile, a dimension
    {T, LESS, T},  {T, MORE, T},                           //   at a time
    {T, T, LESS},  {T, T, MORE},                           //
    {LESS, LESS, LESS},           {MORE, MORE, MORE},      //   and all at once
    {TWICE_MORE, MORE, LESS},     {MORE, TWICE_MORE, T},   // several tiles and a rest
    {T, MORE, TWICE_MORE},                                 //
    {1021, 3, 5},  {3, 1019, 5},  {5, 3, 1031},            // tall, wide, deep
    {128, 256, 64},               {96, 200, 72},           // rectangles of round numbers
};
// clang-format on

static int resolve(int code, int tile)
{
    switch (code) {
    case T:
        return tile;
    case LESS:
        return tile > 1 ? tile - 1 : 1;
    case MORE:
        return tile + 1;
    case TWICE_MORE:
        return 2 * tile + 1;
    default:
        return code;
    }
}

bool battery_shape(struct tile tile, int index, int *M, int *N, int *K)
{
    if (index >= (int)(sizeof shapes / sizeof shapes[0]))
        return false;
    *M = resolve(shapes[index][0], tile.m);
    *N = resolve(shapes[index][1], tile.n);
    *K = resolve(shapes[index][2], tile.k);
    return true;
}
