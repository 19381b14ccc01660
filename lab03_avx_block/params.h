// SPDX-License-Identifier: MIT
// Tunables: set them with make BLOCK=64.
#ifndef BLOCK
#define BLOCK 256 // edge of the square block of B that is kept near: BLOCK * BLOCK floats
#endif
#ifndef ROWS
#define ROWS 6 // rows of C in the register tile, ROWS x 16 floats
#endif

// What one step of the outer loops computes: TILE_M x TILE_N elements of C, TILE_K products each.
#define TILE_M ROWS
#define TILE_N BLOCK
#define TILE_K BLOCK

#if BLOCK < 16 || BLOCK > 4096 || BLOCK % 16 != 0
#error "BLOCK must be a multiple of 16 from 16 to 4096"
#endif
#if ROWS < 1 || ROWS > 16
#error "ROWS must be from 1 to 16"
#endif
