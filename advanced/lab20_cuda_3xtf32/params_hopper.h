// SPDX-License-Identifier: MIT
// What a block of kernel_hopper.cu computes, TILE_M x TILE_N elements of C, TILE_K products at a time. The
// numbers belong together: a row of a tile of A is 128 bytes, 64 sums are what one instruction makes, and
// 2 * 128 threads have registers for 128 * 128 sums twice.
#define TILE_M 128
#define TILE_N 128
#define TILE_K 32
#define STAGES 4 // of tiles in shared memory
#define GROUP 4  // tiles of C below each other that neighbours compute, from the same columns of B

#define MULTIPLIERS (TILE_N / 64) // warp groups that multiply; one more splits, one copies
#define THREADS ((MULTIPLIERS + 2) * WARP_GROUP)
#define IN_SHARED_MEMORY CU_TENSOR_MAP_DATA_TYPE_FLOAT32 // A and B, which are split there
#define PANEL 16 // columns of a tile of B that lie together: rows of 64 bytes

// The tiles of a round in shared memory; 1024 more, so that the first can begin at a multiple of that.
#define STAGE_BYTES ((2 * TILE_M + TILE_N) * TILE_K * (int)sizeof(float))
#define SHARED_BYTES (STAGES * STAGE_BYTES + 1024)
