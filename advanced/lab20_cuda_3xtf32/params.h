// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make WARPS_X=2 WARPS_Y=2.
#ifndef WARPS_X
#define WARPS_X 2 // warps of a block along a row of C
#endif
#ifndef WARPS_Y
#define WARPS_Y 2 // warps of a block along a column of C
#endif
#ifndef WARP_M
#define WARP_M 64 // rows of C that a warp computes
#endif
#ifndef WARP_N
#define WARP_N 64 // columns of C that a warp computes
#endif
#ifndef TILE_K
#define TILE_K 16 // extent of a block's tiles along k
#endif
#ifndef STAGES
#define STAGES 3 // of the pipeline: one pair of tiles is in use, the others are being copied
#endif
#ifndef PAD
#define PAD 4 // elements between two rows of A's tile in shared memory
#endif
#ifndef PAD_B
#define PAD_B 8 // and of B's
#endif

// The shape of a warp's MMA: MMA_M x MMA_K by MMA_K x MMA_N.
#define MMA_M 16
#define MMA_N 16
#define MMA_K 8

// What a block computes: TILE_M x TILE_N elements of C.
#define TILE_M (WARPS_Y * WARP_M)
#define TILE_N (WARPS_X * WARP_N)
#define THREADS (WARPS_X * WARPS_Y * 32)
#define SHARED_BYTES                                                                               \
    (STAGES * (TILE_M * (TILE_K + PAD) + TILE_K * (TILE_N + PAD_B)) * (int)sizeof(real))

#if WARPS_X < 1 || WARPS_Y < 1 || WARPS_X * WARPS_Y > 32
#error "WARPS_X and WARPS_Y must be at least 1, and their product at most 32"
#endif
#if WARP_M < 16 || WARP_M > 256 || WARP_M % 16 != 0
#error "WARP_M must be a multiple of 16 from 16 to 256"
#endif
#if WARP_N < 32 || WARP_N > 256 || WARP_N % 32 != 0
#error "WARP_N must be a multiple of 32 from 32 to 256"
#endif
#if TILE_K < 16 || TILE_K > 1024 || TILE_K % 16 != 0
#error "TILE_K must be a multiple of 16 from 16 to 1024"
#endif
#if STAGES < 2 || STAGES > 16
#error "STAGES must be from 2 to 16"
#endif
#if PAD < 0 || PAD > 32 || PAD % 4 != 0 || PAD_B < 0 || PAD_B > 32 || PAD_B % 4 != 0
#error "PAD and PAD_B must be multiples of 4 from 0 to 32"
#endif
#if THREADS % (TILE_K / 4) != 0 || 4 * THREADS % TILE_N != 0
#error                                                                                             \
    "a thread's vectors must lie in one column: THREADS a multiple of TILE_K / 4 and of TILE_N / 4"
#endif
#if TILE_M * TILE_K % (4 * THREADS) != 0 || TILE_N * TILE_K % (4 * THREADS) != 0
#error "TILE_M * TILE_K and TILE_N * TILE_K must be multiples of 4 * THREADS: equal copies for each"
#endif
