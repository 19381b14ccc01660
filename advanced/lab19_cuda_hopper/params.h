// SPDX-License-Identifier: MIT
// Tunables, for host and kernel: set them with make STAGES=3.
#ifndef STAGES
#define STAGES 4 // of the pipeline: pairs of tiles in shared memory
#endif
#ifndef RASTER_GROUP_N
// Tiles of C beside each other that run together, with the same rows of A. The 132 SMs of an H100
// compute 11 x 12 tiles at a time: 16 are 1 percent slower at N = 8192.
#define RASTER_GROUP_N 12
#endif
#ifndef CLUSTER
// Blocks that run on SMs beside each other: what both ask for at a time L2 reads once, 0.4 percent
// at N = 8192.
#define CLUSTER 2
#endif

// What a block computes: TILE_M x TILE_N elements of C. These belong together: a row of a tile of A
// is 128 bytes, one wgmma has 64 x 128 accumulators, and 2 * 128 threads have registers for 256 x
// 128.
#define TILE_M 256
#define TILE_N 128
#define TILE_K 32 // extent of the tiles along k

#define CONSUMER_WARPGROUPS (TILE_N / 64) // that compute; one more, the producer, issues the copies
#define THREADS ((CONSUMER_WARPGROUPS + 1) * WARPGROUP_SIZE)
#define TENSOR_MAP_TYPE CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 // of A and B: TMA rounds them
#define BOX_COLS_B 32                                    // columns of a box of B: rows of 128 bytes

// A stage in shared memory; 1024 more, so that the first can begin at a multiple of that.
#define STAGE_BYTES ((TILE_M + TILE_N) * TILE_K * (int)sizeof(float))
#define SHARED_BYTES (STAGES * STAGE_BYTES + 1024)

#if STAGES < 2 || STAGES > 4
#error "STAGES must be from 2 to 4: that is what fits in shared memory"
#endif
#if RASTER_GROUP_N < 1 || RASTER_GROUP_N > 1024
#error "RASTER_GROUP_N must be from 1 to 1024"
#endif
#if CLUSTER != 1 && CLUSTER != 2 && CLUSTER != 4
#error "CLUSTER must be 1, 2 or 4"
#endif
