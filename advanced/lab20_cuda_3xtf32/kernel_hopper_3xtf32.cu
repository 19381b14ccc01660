// SPDX-License-Identifier: MIT
// TMA, mbarrier and wgmma, as in lab 19: but A is split by a warpgroup of its own, in shared
// memory, and B by the consumers, in registers. The tensor cores accumulate everything, and
// truncate each sum.
#include "hopper.h"
#include "params_hopper_3xtf32.h"

// A stage of the pipeline: the tiles of an iteration, laid out in shared memory as
// make_tensor_map() says. A is copied to a_large.
struct stage {
    float a_large[TILE_M][TILE_K], a_small[TILE_M][TILE_K];
    float b[TILE_N / BOX_COLS_B][TILE_K][BOX_COLS_B];
};
static_assert(sizeof(struct stage) == STAGE_BYTES, "STAGE_BYTES of params_hopper.h");

// x = large + small, but for the last bit, at most. `small` is the residual.
static __device__ void split(float x, float &large, float &small)
{
    large = round_to_tf32(x);
    small = round_to_tf32(x - large);
}

// C (M x N) = A (M x K) * B (K x N), row-major, ldc = N, below 2^31 elements. A in
// boxes of TILE_M x TILE_K, B of TILE_K x BOX_COLS_B. A block for each tile of C.
__global__ void __launch_bounds__(THREADS, 1)
    gemm(int M, int N, int K, const __grid_constant__ CUtensorMap A,
         const __grid_constant__ CUtensorMap B, float *C)
{
    extern __shared__ char shared[];
    struct stage *stages = (struct stage *)(shared + (1024 - shared_address(shared) % 1024) % 1024);
    __shared__ mbarrier full[STAGES], ready[STAGES], empty[STAGES]; // copied; A split; consumed
    // Rasterization: blocks that run together share rows of A and columns of B, so their tiles go
    // down RASTER_GROUP_M and then right.
    const int tiles_m = (M - 1) / TILE_M + 1, tiles_n = (N - 1) / TILE_N + 1;
    const int group_m = blockIdx.x / (RASTER_GROUP_M * tiles_n) * RASTER_GROUP_M;
    const int group_height = min(RASTER_GROUP_M, tiles_m - group_m);
    const int in_group = blockIdx.x % (RASTER_GROUP_M * tiles_n);
    const int row = (group_m + in_group % group_height) * TILE_M; // of the tile of C (0..M-1)
    const int col = in_group / group_height * TILE_N;             // and its column (0..N-1)
    const int k_tiles = (K - 1) / TILE_K + 1;
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / WARPGROUP_SIZE, 0); // uniform in a warp
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&ready[s], WARPGROUP_SIZE);
            mbarrier_init(&empty[s], CONSUMER_WARPGROUPS * WARPGROUP_SIZE / 32);
        }
        fence_mbarrier_init();
    }
    __syncthreads();

    if (warpgroup == CONSUMER_WARPGROUPS + 1) {
        setmaxnreg_dec<24>();
        if (threadIdx.x % WARPGROUP_SIZE == 0)
            for (int k_tile = 0; k_tile < k_tiles; k_tile++) {
                const int s = k_tile % STAGES, k = k_tile * TILE_K;
                mbarrier_wait(&empty[s], k_tile / STAGES - 1);
                mbarrier_arrive_expect_tx(&full[s], sizeof stages->a_large + sizeof stages->b);
                tma_load_2d(stages[s].a_large, &A, row, k, &full[s]);
                for (int p = 0; p < TILE_N / BOX_COLS_B; p++)
                    tma_load_2d(stages[s].b[p], &B, k, col + p * BOX_COLS_B, &full[s]);
            }
    } else if (warpgroup == CONSUMER_WARPGROUPS) {
        setmaxnreg_dec<56>();
        for (int k_tile = 0; k_tile < k_tiles; k_tile++) {
            const int s = k_tile % STAGES;
            float4 *large = (float4 *)stages[s].a_large, *small = (float4 *)stages[s].a_small;
            mbarrier_wait(&full[s], k_tile / STAGES);
#pragma unroll 4
            for (int v = threadIdx.x % WARPGROUP_SIZE; v < TILE_M * TILE_K / 4;
                 v += WARPGROUP_SIZE) {
                float4 x = large[v], residual;
                split(x.x, x.x, residual.x);
                split(x.y, x.y, residual.y);
                split(x.z, x.z, residual.z);
                split(x.w, x.w, residual.w);
                large[v] = x;
                small[v] = residual;
            }
            fence_proxy_async();
            mbarrier_arrive(&ready[s]);
        }
    } else {
        setmaxnreg_inc<208>();
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4; // as in wgmma_m64n128k8_tf32()
        // Two warps share a box of B. A thread has two of its columns, half of a vector: the
        // first 16 lanes, which read together, have vectors v and v + 4, and so read all banks.
        const int box = threadIdx.x / 64, half = g & 1;
        const int vector = threadIdx.x / 32 % 2 * 2 + g / 4 + (g & 2) * 2;
        float sum[TILE_M / 2] = {}, next[TILE_K / 8][4];
        auto load = [&](int s) {
            for (int k = 0; k < TILE_K; k += 4) {
                const float *b = stages[s].b[box][k + q];
                const float2 x = *(const float2 *)&b[(vector ^ (k + q) % 8) * 4 + half * 2];
                next[k / 8][k / 4 % 2 * 2] = x.x;
                next[k / 8][k / 4 % 2 * 2 + 1] = x.y;
            }
        };
        mbarrier_wait(&full[0], 0);
        load(0);
        for (int k_tile = 0; k_tile < k_tiles; k_tile++) {
            const int s = k_tile % STAGES;
            float large[TILE_K / 8][4], small[TILE_K / 8][4];
            for (int n = 0; n < TILE_K / 2; n++)
                split(next[n / 4][n % 4], large[n / 4][n % 4], small[n / 4][n % 4]);
            mbarrier_wait(&ready[s], k_tile / STAGES);
            const unsigned long long a_large = make_smem_descriptor(stages[s].a_large),
                                     a_small = make_smem_descriptor(stages[s].a_small);
            wgmma_fence();
            for (int k = 0; k < TILE_K / 8; k++) {
                wgmma_m64n128k8_tf32(sum, small[k], a_large + k * 2, true);
                wgmma_m64n128k8_tf32(sum, large[k], a_small + k * 2, true);
            }
            for (int k = 0; k < TILE_K / 8; k++)
                wgmma_m64n128k8_tf32(sum, large[k], a_large + k * 2, true);
            wgmma_commit_group();
            if (k_tile + 1 < k_tiles) { // meanwhile
                mbarrier_wait(&full[(k_tile + 1) % STAGES], (k_tile + 1) / STAGES);
                load((k_tile + 1) % STAGES);
            }
            wgmma_wait_group<0>();
            fence_operands(*large, TILE_K / 2);
            fence_operands(*small, TILE_K / 2);
            fence_operands(sum, TILE_M / 2);
            if (threadIdx.x % 32 == 0) // each warp has read
                mbarrier_arrive(&empty[s]);
        }

        const int j =
            col + box * BOX_COLS_B + vector * 4 + half * 2; // its columns of C: j and j + 1
#pragma unroll
        for (int m = 0; m < TILE_M / 4; m++) { // its rows of C
            const int i = row + m / 2 * 8 + q * 2 + m % 2;
            const float x = sum[m / 2 * 4 + m % 2], y = sum[m / 2 * 4 + m % 2 + 2];
            if (i < M && j + 1 < N && N % 2 == 0)
                *(float2 *)&C[i * N + j] = make_float2(x, y);
            else {
                if (i < M && j < N)
                    C[i * N + j] = x;
                if (i < M && j + 1 < N)
                    C[i * N + j + 1] = y;
            }
        }
    }
}
