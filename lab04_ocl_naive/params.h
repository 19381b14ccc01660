// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make GROUP_X=8 GROUP_Y=8.
#ifndef GROUP_X
#define GROUP_X 16 // work-items of a work-group along a row of C
#endif
#ifndef GROUP_Y
#define GROUP_Y 16 // work-items of a work-group along a column of C
#endif

// What a work-group computes: TILE_M x TILE_N elements of C, TILE_K products of each at a time. The
// host launches by these, and `make check` takes shapes that they divide, and others.
#define TILE_M GROUP_Y
#define TILE_N GROUP_X
#define TILE_K 1

#if GROUP_X < 1 || GROUP_X > 1024 || GROUP_Y < 1 || GROUP_Y > 1024
#error "GROUP_X and GROUP_Y must be from 1 to 1024"
#endif
