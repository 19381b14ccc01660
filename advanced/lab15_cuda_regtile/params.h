// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make BLOCK_X=8 BLOCK_Y=8.
#ifndef BLOCK_X
#define BLOCK_X 16 // threads of a block along a row of C
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16 // threads of a block along a column of C
#endif
#ifndef COLS_PER_THREAD
#define COLS_PER_THREAD 8 // columns of C that a thread computes, in vectors of 4
#endif
#ifndef ROWS_PER_THREAD
#define ROWS_PER_THREAD 8 // rows of C that a thread computes
#endif
#ifndef TILE_K
#define TILE_K 8 // extent of a block's tiles along k
#endif
#ifndef PAD
#define PAD 4 // elements between two rows of A's tile in shared memory
#endif

// What a block computes: TILE_M x TILE_N elements of C.
#define TILE_M (BLOCK_Y * ROWS_PER_THREAD)
#define TILE_N (BLOCK_X * COLS_PER_THREAD)

#if BLOCK_X < 1 || BLOCK_Y < 1 || BLOCK_X * BLOCK_Y > 1024
#error "BLOCK_X and BLOCK_Y must be at least 1, and their product at most 1024"
#endif
#if COLS_PER_THREAD < 4 || COLS_PER_THREAD > 64 || COLS_PER_THREAD % 4 != 0
#error "COLS_PER_THREAD must be a multiple of 4 from 4 to 64"
#endif
#if ROWS_PER_THREAD < 4 || ROWS_PER_THREAD > 64 || ROWS_PER_THREAD % 4 != 0
#error "ROWS_PER_THREAD must be a multiple of 4 from 4 to 64"
#endif
#if TILE_K < 4 || TILE_K > 1024 || TILE_K % 4 != 0
#error "TILE_K must be a multiple of 4 from 4 to 1024"
#endif
#if PAD < 0 || PAD > 32 || PAD % 4 != 0
#error "PAD must be a multiple of 4 from 0 to 32"
#endif
#if ROWS_PER_THREAD * TILE_K % (4 * BLOCK_X) != 0 || COLS_PER_THREAD * TILE_K % (4 * BLOCK_Y) != 0
#error                                                                                             \
    "ROWS_PER_THREAD * TILE_K must divide by 4 * BLOCK_X, COLS_PER_THREAD * TILE_K by 4 * BLOCK_Y"
#endif
