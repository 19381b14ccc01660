// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make GROUP_X=8 GROUP_Y=8.
#ifndef GROUP_X
#define GROUP_X 16 // work-items of a work-group along a row of C
#endif
#ifndef GROUP_Y
#define GROUP_Y 16 // work-items of a work-group along a column of C
#endif
#ifndef COLS_PER_ITEM
#define COLS_PER_ITEM 8 // columns of C that a work-item computes, in vectors of 4
#endif
#ifndef ROWS_PER_ITEM
#define ROWS_PER_ITEM 8 // rows of C that a work-item computes, 4 and 4 together
#endif
#ifndef TILE_K
#define TILE_K 8 // extent of a work-group's tiles along k
#endif
#ifndef PAD
#define PAD 4 // elements between two rows of A's tile in local memory
#endif

// What a work-group computes: TILE_M x TILE_N elements of C.
#define TILE_M (GROUP_Y * ROWS_PER_ITEM)
#define TILE_N (GROUP_X * COLS_PER_ITEM)

#if GROUP_X < 1 || GROUP_X > 1024 || GROUP_Y < 1 || GROUP_Y > 1024
#error "GROUP_X and GROUP_Y must be from 1 to 1024"
#endif
#if COLS_PER_ITEM < 4 || COLS_PER_ITEM > 64 || COLS_PER_ITEM % 4 != 0
#error "COLS_PER_ITEM must be a multiple of 4 from 4 to 64"
#endif
#if ROWS_PER_ITEM < 4 || ROWS_PER_ITEM > 64 || ROWS_PER_ITEM % 4 != 0
#error "ROWS_PER_ITEM must be a multiple of 4 from 4 to 64"
#endif
#if TILE_K < 4 || TILE_K > 1024 || TILE_K % 4 != 0
#error "TILE_K must be a multiple of 4 from 4 to 1024"
#endif
#if PAD < 0 || PAD > 32 || PAD % 4 != 0
#error "PAD must be a multiple of 4 from 0 to 32"
#endif
#if ROWS_PER_ITEM * TILE_K % (4 * GROUP_X) != 0 || COLS_PER_ITEM * TILE_K % (4 * GROUP_Y) != 0
#error "ROWS_PER_ITEM * TILE_K must divide by 4 * GROUP_X, COLS_PER_ITEM * TILE_K by 4 * GROUP_Y"
#endif
