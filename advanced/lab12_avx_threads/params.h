// SPDX-License-Identifier: MIT
// Tunables: set them with make BLOCK_K=384.
#ifndef BLOCK_M
#define BLOCK_M 192 // rows of the block of A that is kept in L2: BLOCK_M * BLOCK_K floats
#endif
#ifndef BLOCK_N
#define BLOCK_N 2064 // columns of the block of B that is kept in L3: BLOCK_K * BLOCK_N floats
#endif
#ifndef BLOCK_K
#define BLOCK_K 256 // depth of both: a panel of B, BLOCK_K * 48 floats, streams through L1
#endif
#ifndef ROWS
#define ROWS 8 // rows of C in the register tile, ROWS x 48 floats
#endif
#ifndef BLOCKS_PER_THREAD
#define BLOCKS_PER_THREAD 4 // blocks of A for each thread, for load balancing
#endif
#ifndef UNPACKED_MAX
#define UNPACKED_MAX 262144 // elements of B up to which it is not packed, as it fits in L2
#endif
#ifndef SERIAL_MAX
#define SERIAL_MAX 1000000 // products M * N * K up to which one thread is faster
#endif

// What one iteration of the outer loops computes: TILE_M x TILE_N elements of C, TILE_K products
// each.
#define TILE_M BLOCK_M
#define TILE_N BLOCK_N
#define TILE_K BLOCK_K

#if ROWS < 1 || ROWS > 16
#error "ROWS must be from 1 to 16"
#endif
#if BLOCK_M < ROWS || BLOCK_M > 65536 || BLOCK_M % ROWS != 0
#error "BLOCK_M must be a multiple of ROWS, at most 65536"
#endif
#if BLOCK_N < 48 || BLOCK_N > 65568 || BLOCK_N % 48 != 0
#error "BLOCK_N must be a multiple of 48 from 48 to 65568"
#endif
#if BLOCK_K < 16 || BLOCK_K > 4096 || BLOCK_K % 16 != 0
#error "BLOCK_K must be a multiple of 16 from 16 to 4096"
#endif
#if BLOCKS_PER_THREAD < 1 || BLOCKS_PER_THREAD > 1024
#error "BLOCKS_PER_THREAD must be from 1 to 1024"
#endif
#if SERIAL_MAX < 0
#error "SERIAL_MAX must be at least 0"
#endif
#if UNPACKED_MAX < 0 || UNPACKED_MAX > 16777216
#error "UNPACKED_MAX must be from 0 to 16777216"
#endif
