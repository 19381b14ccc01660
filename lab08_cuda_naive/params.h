// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make BLOCK=16.
#ifndef BLOCK
#define BLOCK 32 // threads of a block along a row of C, and along a column
#endif

// What a block computes: TILE_M x TILE_N elements of C, one per thread. There is no tile along k:
// by TILE_K `make check` chooses shapes, as if it were lab 09's.
#define TILE_M BLOCK
#define TILE_N BLOCK
#define TILE_K BLOCK

#if BLOCK < 1 || BLOCK > 32
#error "BLOCK must be from 1 to 32: a block has at most 1024 threads"
#endif
