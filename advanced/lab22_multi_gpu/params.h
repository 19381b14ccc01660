// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make WARPS_X=2 WARPS_Y=2.
#ifndef GPUS
#define GPUS 0 // that compute together; 0: two, and five where they are emulated
#endif
#ifndef WARPS_X
#define WARPS_X 2 // warps of a block along a row of C
#endif
#ifndef WARPS_Y
#define WARPS_Y 2 // warps of a block along a column of C
#endif
#ifndef COLS_PER_THREAD
#define COLS_PER_THREAD 8 // columns of C that a thread computes, in vectors of 4
#endif
#ifndef ROWS_PER_THREAD
#define ROWS_PER_THREAD 16 // rows of C that a thread computes
#endif
#ifndef TILE_K
#define TILE_K 8 // extent of a block's tiles along k
#endif
#ifndef STAGES
#define STAGES 3 // of the pipeline: one pair of tiles is in use, the others are being copied
#endif
#ifndef PAD
#define PAD 4 // elements between two rows of A's tile in shared memory
#endif

// A warp is LANES_X x LANES_Y threads, along a row and a column of C, and computes WARP_M x WARP_N
// elements.
#define LANES_X 8
#define LANES_Y 4
#define WARP_M (LANES_Y * ROWS_PER_THREAD)
#define WARP_N (LANES_X * COLS_PER_THREAD)

// What a block computes: TILE_M x TILE_N elements of C.
#define TILE_M (WARPS_Y * WARP_M)
#define TILE_N (WARPS_X * WARP_N)
#define THREADS (WARPS_X * WARPS_Y * LANES_X * LANES_Y)
#define SHARED_BYTES (STAGES * TILE_K * (TILE_M + PAD + TILE_N) * (int)sizeof(real))

#if GPUS < 0 || GPUS > 16
#error "GPUS must be from 0 to 16"
#endif
#if WARPS_X < 1 || WARPS_Y < 1 || WARPS_X * WARPS_Y > 32
#error "WARPS_X and WARPS_Y must be at least 1, and their product at most 32"
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
#if STAGES < 2 || STAGES > 16
#error "STAGES must be from 2 to 16"
#endif
#if PAD < 0 || PAD > 32 || PAD % 4 != 0
#error "PAD must be a multiple of 4 from 0 to 32"
#endif
#if THREADS % TILE_K != 0 || 4 * THREADS % TILE_N != 0
#error "what a thread copies must lie in one column: THREADS a multiple of TILE_K and of TILE_N / 4"
#endif
#if TILE_M * TILE_K % (4 * THREADS) != 0 || TILE_N * TILE_K % (4 * THREADS) != 0
#error "TILE_M * TILE_K and TILE_N * TILE_K must be multiples of 4 * THREADS: equal copies for each"
#endif
