// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make GROUP_X=8 GROUP_Y=8.
#ifndef GROUP_X
#define GROUP_X 16 // work-items of a work-group along a row of C
#endif
#ifndef GROUP_Y
#define GROUP_Y 16 // work-items of a work-group along a column of C
#endif
#ifndef COLS_PER_ITEM
#define COLS_PER_ITEM 8 // columns of C that a work-item computes
#endif
#ifndef ROWS_PER_ITEM
#define ROWS_PER_ITEM 8 // rows of C that a work-item computes
#endif
#ifndef TILE_K
#define TILE_K 8 // extent of a work-group's tiles along k
#endif
#ifndef PAD
#define PAD 4 // unused elements at the end of each row of A's tile in local memory
#endif
#ifndef TILE
#define TILE 16 // edge of the square tiles, with one element of C for each work-item
#endif

// What a work-group computes: TILE_M x TILE_N elements of C.
#define TILE_M (GROUP_Y * ROWS_PER_ITEM)
#define TILE_N (GROUP_X * COLS_PER_ITEM)

#if GROUP_X < 1 || GROUP_X > 1024 || GROUP_Y < 1 || GROUP_Y > 1024
#error "GROUP_X and GROUP_Y must be from 1 to 1024"
#endif
#if COLS_PER_ITEM < 1
#error "COLS_PER_ITEM must be at least 1"
#endif
#if ROWS_PER_ITEM < 1 || ROWS_PER_ITEM > 64
#error "ROWS_PER_ITEM must be from 1 to 64"
#endif
#if TILE_K < 1 || TILE_K > 1024
#error "TILE_K must be from 1 to 1024"
#endif
#if PAD < 0 || PAD > 32
#error "PAD must be from 0 to 32"
#endif
#if TILE < 1 || TILE > 1024
#error "TILE must be from 1 to 1024"
#endif
