// SPDX-License-Identifier: MIT
// What a block of kernel_hopper.cu computes: TILE_M x TILE_N elements of C. These belong together:
// a row of a tile of A is 128 bytes, one wgmma has 64 x 128 accumulators, and 2 * 128 threads have
// registers for 128 x 128 twice.
#define TILE_M 128
#define TILE_N 128
#define TILE_K 32 // extent of the tiles along k
#define STAGES 4  // of the pipeline: tiles in shared memory
#define RASTER_GROUP_M                                                                             \
    4 // tiles of C below each other that run together, with the same columns of B

#define CLUSTER 1                         // blocks of a cluster
#define CONSUMER_WARPGROUPS (TILE_N / 64) // that compute; one more splits A, one issues the copies
#define THREADS ((CONSUMER_WARPGROUPS + 2) * WARPGROUP_SIZE)
#define TENSOR_MAP_TYPE CU_TENSOR_MAP_DATA_TYPE_FLOAT32 // of A and B, which are split here
#define BOX_COLS_B 32                                   // columns of a box of B: rows of 128 bytes

// A stage in shared memory; 1024 more, so that the first can begin at a multiple of that.
#define STAGE_BYTES ((2 * TILE_M + TILE_N) * TILE_K * (int)sizeof(float))
#define SHARED_BYTES (STAGES * STAGE_BYTES + 1024)
