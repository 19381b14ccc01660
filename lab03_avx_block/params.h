// SPDX-License-Identifier: MIT
// Tunables: set them with make BLOCK_KN=64.
#ifndef BLOCK_KN
#define BLOCK_KN 256 // edge of the square block of B that is kept near: BLOCK_KN * BLOCK_KN floats
#endif
#ifndef ROWS
#define ROWS 6 // rows of C in the register tile, ROWS x 16 floats
#endif

// What one step of the outer loops computes: TILE_M x TILE_N elements of C, TILE_K products each.
#define TILE_M ROWS
#define TILE_N BLOCK_KN
#define TILE_K BLOCK_KN

#if !defined BLOCK_OF_8 || BLOCK_KN != 8 // of a variant without a register tile, 16 wide
#if BLOCK_KN < 16 || BLOCK_KN > 4096 || BLOCK_KN % 16 != 0
#error "BLOCK_KN must be a multiple of 16 from 16 to 4096"
#endif
#endif
#if ROWS < 1 || ROWS > 16
#error "ROWS must be from 1 to 16"
#endif
