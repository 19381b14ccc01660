// SPDX-License-Identifier: MIT
// The battery of shapes behind --check. A square that is a multiple of the tile hides most
// mistakes: swapped leading dimensions, forgotten edges, a barrier that part of a group does not
// reach.
#include "lab.h"

// M, N, K. T stands for whole tiles of this lab in that dimension, 32 elements or a little more; LESS
// and MORE for one element less and more. The shapes on which a failure says most come first.
enum { T = 0, LESS = -1, MORE = -2, TWICE_MORE = -3 };
// clang-format off
static const int shapes[][3] = {
    {T, T, T},                                             // whole tiles: not about edges
    {MORE, T, T},  {T, MORE, T},  {T, T, MORE},            // just beside them, a dimension
    {LESS, T, T},  {T, LESS, T},  {T, T, LESS},            //   at a time
    {LESS, LESS, LESS},           {MORE, MORE, MORE},      //   and all at once
    {TWICE_MORE, MORE, LESS},     {MORE, TWICE_MORE, T},   // several tiles and a rest
    {T, MORE, TWICE_MORE},                                 //
    {16, 16, 16},                 {64, 64, 64},            // powers of two
    {128, 256, 64},               {96, 200, 72},           // rectangles of round numbers
    {7, 5, 3},     {31, 37, 41},  {127, 131, 113},         // primes, all different
    {1021, 3, 5},  {3, 1019, 5},  {5, 3, 1031},            // tall, wide, deep
    {1, 29, 23},   {31, 1, 19},   {17, 33, 1},             // one row of A, one column of B, K = 1
    {1, 1, 37},    {1, 41, 1},    {43, 1, 1},              // a dot product, a row, a column
    {1, 1, 1},                                             // the smallest
};
// clang-format on

static int resolve(int code, int tile)
{
    int whole = (31 / tile + 1) * tile;
    switch (code) {
    case T:
        return whole;
    case LESS:
        return whole - 1;
    case MORE:
        return whole + 1;
    case TWICE_MORE:
        return 2 * whole + 1;
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
