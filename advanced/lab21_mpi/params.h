// SPDX-License-Identifier: MIT
// Tunables: set them with make BLOCK_K=384.
#ifndef RANKS
#define RANKS 0 // that ./gemm starts itself as; 0: one for each core
#endif
#ifndef BLOCK_M
#define BLOCK_M 144 // rows of the block of A that is kept in L2: BLOCK_M * BLOCK_K floats
#endif
#ifndef BLOCK_N
#define BLOCK_N 2048 // columns of the block of B that is kept in L3: BLOCK_K * BLOCK_N floats
#endif
#ifndef BLOCK_K
#define BLOCK_K 256 // depth of both: a panel of B, BLOCK_K * 16 floats, is kept in L1
#endif
#ifndef ROWS
#define ROWS 6 // rows of C in the register tile, ROWS x 16 floats
#endif

// What one iteration of the outer loops computes: TILE_M x TILE_N elements of C, TILE_K products
// each.
#define TILE_M BLOCK_M
#define TILE_N BLOCK_N
#define TILE_K BLOCK_K

#if RANKS < 0 || RANKS > 4096
#error "RANKS must be from 0 to 4096"
#endif
#if ROWS < 1 || ROWS > 16
#error "ROWS must be from 1 to 16"
#endif
#if BLOCK_M < ROWS || BLOCK_M > 65536 || BLOCK_M % ROWS != 0
#error "BLOCK_M must be a multiple of ROWS, at most 65536"
#endif
#if BLOCK_N < 16 || BLOCK_N > 65536 || BLOCK_N % 16 != 0
#error "BLOCK_N must be a multiple of 16 from 16 to 65536"
#endif
#if BLOCK_K < 16 || BLOCK_K > 4096 || BLOCK_K % 16 != 0
#error "BLOCK_K must be a multiple of 16 from 16 to 4096"
#endif
