// SPDX-License-Identifier: MIT
// bfloat16: wgmma transposes 16-bit operands as it reads them, so A and B both come from shared
// memory and need no registers. The roles and barriers are those of kernel.cu. Four more ideas:
// one wgmma reads up to 256 columns of B; the blocks of a cluster load B for each other
// (multicast); each block computes several tiles, and the producer loads the next one while the
// consumers store C (persistent kernel); tiles are as wide as suits the size (wave quantization).
#include "bf16.h"
#include "hopper.h"
#include "params_bf16.h"

// A stage of the pipeline: the tiles of an iteration, laid out in shared memory as
// make_tensor_map() says.
struct stage {
    bf16 a[TILE_M][TILE_K];
    bf16 b[TILE_N / BOX_COLS_B][TILE_K][BOX_COLS_B];
};
static_assert(sizeof(struct stage) == STAGE_BYTES, "STAGE_BYTES of params_bf16.h");

// The order in which clusters compute C. A cluster computes CLUSTER tiles, one below the other.
// Rasterization: clusters that run together share rows of A and columns of B, so they go right
// RASTER_GROUP_N and then down.
struct raster {
    int columns;          // of a tile
    int tiles_m, tiles_n; // rows and columns of such groups of CLUSTER tiles

    __device__ raster(int M, int N, int columns)
        : columns(columns), tiles_m((M - 1) / (CLUSTER * TILE_M) + 1),
          tiles_n((N - 1) / columns + 1)
    {
    }

    // The first row and column of C (0..M-1, 0..N-1) in group n of CLUSTER tiles.
    __device__ int2 operator[](int n) const
    {
        const int width = min(RASTER_GROUP_N, tiles_n); // of all groups but the last
        const int group_n = n / (width * tiles_m) * width, in_group = n % (width * tiles_m);
        const int group_width = min(width, tiles_n - group_n);
        return make_int2(in_group / group_width * CLUSTER * TILE_M,
                         (group_n + in_group % group_width) * columns);
    }
};

// Stores four elements of row i of C (M x N), from column j on, as far as they are in C.
static __device__ void store4(int M, int N, float *C, int i, int j, float4 v)
{
    if (i < M && j + 3 < N && N % 4 == 0) {
        *(float4 *)&C[i * N + j] = v;
        return;
    }
    const float at[] = {v.x, v.y, v.z, v.w};
    for (int e = 0; e < 4; e++)
        if (i < M && j + e < N)
            C[i * N + j + e] = at[e];
}

// The whole kernel, with tiles of C of so many columns.
template <int columns>
static __device__ __forceinline__ void multiply(int M, int N, int K, const CUtensorMap *A,
                                                const CUtensorMap *B, float *C)
{
    extern __shared__ char shared[];
    struct stage *stages = (struct stage *)(shared + (1024 - shared_address(shared) % 1024) % 1024);
    __shared__ mbarrier full[STAGES], empty[STAGES]; // copied; consumed by the whole cluster
    const raster tiles(M, N, columns);
    const int block = blockIdx.x % CLUSTER; // in its cluster
    const int first = blockIdx.x / CLUSTER, step = gridDim.x / CLUSTER;
    const int k_tiles = (K - 1) / TILE_K + 1;
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / WARPGROUP_SIZE, 0); // uniform in a warp
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], CLUSTER * CONSUMER_WARPGROUPS * WARPGROUP_SIZE / 32);
        }
        fence_mbarrier_init();
    }
    cluster_sync(); // from now on other blocks may arrive at these barriers

    int n = 0; // counts the stages in use: stage n % STAGES, in its phase n / STAGES
    if (warpgroup == CONSUMER_WARPGROUPS) {
        setmaxnreg_dec<24>();
        if (threadIdx.x % WARPGROUP_SIZE == 0) {
            for (int t = first; t < tiles.tiles_m * tiles.tiles_n; t += step) {
                const int2 at = tiles[t];
                for (int k_tile = 0; k_tile < k_tiles; k_tile++, n++) {
                    const int s = n % STAGES, k = k_tile * TILE_K;
                    const int boxes = (columns - 1) / BOX_COLS_B + 1; // of B, each whole
                    mbarrier_wait(&empty[s], n / STAGES - 1);
                    mbarrier_arrive_expect_tx(&full[s], BOX_BYTES_A + boxes * BOX_BYTES_B);
                    tma_load_2d(stages[s].a, A, at.x + block * TILE_M, k, &full[s]);
                    for (int p = block; p < boxes; p += CLUSTER) // its share
                        tma_load_2d_multicast(stages[s].b[p], B, k, at.y + p * BOX_COLS_B, &full[s],
                                              (1 << CLUSTER) - 1);
                }
            }
            // A block must not end while others arrive at its barriers or copy to its memory.
            for (int s = 0; s < STAGES; s++, n++)
                mbarrier_wait(&empty[n % STAGES], n / STAGES - 1);
        }
    } else {
        setmaxnreg_inc<240>();
        const int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
        float sum[TILE_N / 2]; // the first columns / 2: of 64 x columns elements of C
        // This warp has read the stage: it tells the producer of each block.
        auto release = [&](int s) {
            if (lane < CLUSTER)
                mbarrier_arrive_cluster(&empty[s], lane);
        };
        for (int t = first; t < tiles.tiles_m * tiles.tiles_n; t += step) {
            for (int k_tile = 0; k_tile < k_tiles; k_tile++, n++) {
                const struct stage *stage = &stages[n % STAGES];
                mbarrier_wait(&full[n % STAGES], n / STAGES);
                const unsigned long long left = make_smem_descriptor(stage->a[warpgroup * 64]);
                const unsigned long long right = make_smem_descriptor_mn(stage->b, BOX_BYTES_B);
                wgmma_fence();
                for (int k = 0; k < TILE_K / 16; k++)
                    wgmma_m64k16_bf16<columns>(sum, left + k * 2, right + k * 128, k_tile + k > 0);
                wgmma_commit_group();
                // While this warpgroup waits, the tensor cores compute for the other one.
                wgmma_wait_group<0>();
                release(n % STAGES);
            }
            fence_operands(sum, columns / 2);

            // A thread has two adjacent elements of a row, and its neighbour the next two. They
            // exchange two, so that each stores four.
            const int2 at = tiles[t];
            const int i = at.x + block * TILE_M + threadIdx.x / 32 * 16 + g;
            const int j = at.y + q % 2 * 8 + q / 2 * 4;
#pragma unroll
            for (int m = 0; m < columns / 8; m++) {
                const float *x = &sum[m / 2 * 8 + m % 2 * 2]; // row g or g + 8; x[4]: 8 columns on
                const float u = __shfl_xor_sync(~0u, q % 2 ? x[0] : x[4], 1);
                const float v = __shfl_xor_sync(~0u, q % 2 ? x[1] : x[5], 1);
                store4(M, N, C, i + m % 2 * 8, j + m / 2 * 16,
                       q % 2 ? make_float4(u, v, x[4], x[5]) : make_float4(x[0], x[1], u, v));
            }
        }
    }
}

// C (M x N) = A (M x K) * B (K x N), row-major, ldc = N, below 2^31 elements; A and B in bfloat16.
// A in boxes of TILE_M x TILE_K, B of TILE_K x BOX_COLS_B. Tiles of 192, 224 or 256 columns. Any
// number of whole clusters.
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS, 1)
    gemm(int M, int N, int K, int columns, const __grid_constant__ CUtensorMap A,
         const __grid_constant__ CUtensorMap B, float *C)
{
    if (columns == 192)
        multiply<192>(M, N, K, &A, &B, C);
    else if (columns == 224)
        multiply<224>(M, N, K, &A, &B, C);
    else
        multiply<256>(M, N, K, &A, &B, C);
}
