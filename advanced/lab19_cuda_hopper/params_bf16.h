// SPDX-License-Identifier: MIT
// Tunables of the variant bf16, for host and kernel: params.h has their names.
#ifndef STAGES
#define STAGES 4 // of the pipeline: pairs of tiles in shared memory
#endif
#ifndef RASTER_GROUP_N
#define RASTER_GROUP_N 8 // tiles of C beside each other that run together, with the same rows of A
#endif
#ifndef CLUSTER
#define CLUSTER 2 // blocks of a cluster: their tiles are below each other, and share B
#endif

// What a block computes at a time: TILE_M x TILE_N elements of C, or of fewer columns. These belong
// together: a row of a tile of A is 128 bytes, one wgmma has 64 x 256 accumulators, and 2 * 128
// threads have registers for 128 x 256.
#define TILE_M 128
#define TILE_N 256
#define TILE_N_LEAST 192
#define TILE_N_STEP 32
#define TILE_K 64 // extent of the tiles along k

#define CONSUMER_WARPGROUPS (TILE_M / 64) // that compute; one more, the producer, issues the copies
#define THREADS ((CONSUMER_WARPGROUPS + 1) * WARPGROUP_SIZE)
#define BOX_COLS_B 64 // columns of a box of B: rows of 128 bytes
#define BOX_BYTES_A (TILE_M * TILE_K * (int)sizeof(bf16))
#define BOX_BYTES_B (TILE_K * BOX_COLS_B * (int)sizeof(bf16))

// A stage in shared memory; 1024 more, so that the first can begin at a multiple of that.
#define STAGE_BYTES ((TILE_M + TILE_N) * TILE_K * (int)sizeof(bf16))
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
