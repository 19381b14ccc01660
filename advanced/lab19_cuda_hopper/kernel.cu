// SPDX-License-Identifier: MIT
// Warp specialization: one thread of a producer warpgroup issues the copies of full tiles (TMA,
// which rounds to TF32 on the way); the consumer warpgroups do nothing but wgmma, 64 x 128
// accumulators at a time. wgmma reads its right operand straight from shared memory, where it must
// be K-major, as A is and B is not: so the kernel computes C transposed, B^T * A^T, and B goes
// through registers.
#include "hopper.h"
#include "params.h"

// A stage of the pipeline: the tiles of an iteration, laid out in shared memory as
// make_tensor_map() says.
struct stage {
    float a[TILE_M][TILE_K];
    float b[TILE_N / BOX_COLS_B][TILE_K][BOX_COLS_B];
};
static_assert(sizeof(struct stage) == STAGE_BYTES, "STAGE_BYTES of params.h");

// C (M x N) = A (M x K) * B (K x N), row-major, ldc = N, below 2^31 elements. A in
// boxes of TILE_M x TILE_K, B of TILE_K x BOX_COLS_B. A block for each tile of C, two in a cluster.
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS, 1)
    gemm(int M, int N, int K, const __grid_constant__ CUtensorMap A,
         const __grid_constant__ CUtensorMap B, float *C)
{
    extern __shared__ char shared[];
    struct stage *stages = (struct stage *)(shared + (1024 - shared_address(shared) % 1024) % 1024);
    __shared__ mbarrier full[STAGES], empty[STAGES]; // copied; consumed
    // Rasterization: blocks that run together share rows of A and columns of B, so their tiles go
    // right RASTER_GROUP_N and then down.
    const int tiles_m = (M - 1) / TILE_M + 1, tiles_n = (N - 1) / TILE_N + 1;
    if (blockIdx.x >= tiles_m * tiles_n) // the last of a cluster may have none
        return;
    const int group_n = blockIdx.x / (RASTER_GROUP_N * tiles_m) * RASTER_GROUP_N;
    const int group_width = min(RASTER_GROUP_N, tiles_n - group_n);
    const int in_group = blockIdx.x % (RASTER_GROUP_N * tiles_m);
    const int row = in_group / group_width * TILE_M;             // of the tile of C (0..M-1)
    const int col = (group_n + in_group % group_width) * TILE_N; // and its column (0..N-1)
    const int k_tiles = (K - 1) / TILE_K + 1;
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / WARPGROUP_SIZE, 0); // uniform in a warp
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], CONSUMER_WARPGROUPS * WARPGROUP_SIZE / 32);
        }
        fence_mbarrier_init();
    }
    __syncthreads();

    if (warpgroup == CONSUMER_WARPGROUPS) {
        setmaxnreg_dec<40>();
        if (threadIdx.x % WARPGROUP_SIZE == 0)
            for (int k_tile = 0; k_tile < k_tiles; k_tile++) {
                const int s = k_tile % STAGES, k = k_tile * TILE_K;
                mbarrier_wait(&empty[s], k_tile / STAGES - 1);
                mbarrier_arrive_expect_tx(&full[s], sizeof(struct stage));
                tma_load_2d(stages[s].a, &A, row, k, &full[s]);
                for (int p = 0; p < TILE_N / BOX_COLS_B; p++)
                    tma_load_2d(stages[s].b[p], &B, k, col + p * BOX_COLS_B, &full[s]);
            }
    } else {
        setmaxnreg_inc<232>();
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4; // as in wgmma_m64n128k8_tf32()
        // Two warps share a box of B. A thread has two of its columns, half of a vector: the
        // first 16 lanes, which read together, have vectors v and v + 4, and so read all banks.
        const int box = threadIdx.x / 64, half = g & 1;
        const int vector = threadIdx.x / 32 % 2 * 2 + g / 4 + (g & 2) * 2;
        float sum[TILE_M / 2] = {}, even[TILE_K / 8][4], odd[TILE_K / 8][4];
        auto load = [&](int k_tile, float(*to)[4]) {
            const int s = k_tile % STAGES;
            mbarrier_wait(&full[s], k_tile / STAGES);
            for (int k = 0; k < TILE_K; k += 4) {
                const float *b = stages[s].b[box][k + q];
                const float2 x = *(const float2 *)&b[(vector ^ (k + q) % 8) * 4 + half * 2];
                to[k / 8][k / 4 % 2 * 2] = x.x;
                to[k / 8][k / 4 % 2 * 2 + 1] = x.y;
            }
        };
        auto multiply = [&](int k_tile, float(*left)[4], float(*next)[4]) {
            const unsigned long long right = make_smem_descriptor(stages[k_tile % STAGES].a);
            wgmma_fence();
            for (int k = 0; k < TILE_K / 8; k++)
                for (int p = 0; p < TILE_M / 128; p++)
                    wgmma_m64n128k8_tf32(&sum[p * 64], left[k], right + p * 1024 + k * 2, true);
            wgmma_commit_group();
            if (k_tile + 1 < k_tiles)
                load(k_tile + 1, next); // meanwhile
            wgmma_wait_group<0>();
            fence_operands(*left, TILE_K / 2);
            fence_operands(sum, TILE_M / 2);
            if (threadIdx.x % 32 == 0) // each warp has read
                mbarrier_arrive(&empty[k_tile % STAGES]);
        };
        // Two sets of registers: to copy `next` to `left` took 0.3 percent at N = 8192.
        load(0, even);
        for (int k_tile = 0; k_tile < k_tiles; k_tile += 2) {
            multiply(k_tile, even, odd);
            if (k_tile + 1 < k_tiles)
                multiply(k_tile + 1, odd, even);
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
