// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make GROUP_X=8 GROUP_Y=8.
#ifndef GROUP_X
#define GROUP_X 16 // work-items of a work-group along a row of C
#endif
#ifndef GROUP_Y
#define GROUP_Y 16 // work-items of a work-group along a column of C
#endif
#ifndef COLS_PER_ITEM
#define COLS_PER_ITEM 4 // columns of C that a work-item computes
#endif

// What a work-group computes: TILE_M x TILE_N elements of C, TILE_K products of each at a time.
#define TILE_M GROUP_Y
#define TILE_N (GROUP_X * COLS_PER_ITEM)
#define TILE_K 1

#if GROUP_X < 1 || GROUP_X > 1024 || GROUP_Y < 1 || GROUP_Y > 1024
#error "GROUP_X and GROUP_Y must be from 1 to 1024"
#endif
#if COLS_PER_ITEM < 1
#error "COLS_PER_ITEM must be at least 1"
#endif
