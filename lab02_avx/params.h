// SPDX-License-Identifier: MIT
// What one step of the outer loops computes: TILE_M x TILE_N elements of C, TILE_K products each.
#define TILE_M 1
#define TILE_N 8
#define TILE_K 1
