// SPDX-License-Identifier: MIT
// Hopper's own instructions. One thread has whole tiles copied, rounded to TF32 on the way; the other warps
// compute nothing but products, four warps together 64 x 64 sums, and the right matrix comes straight from
// shared memory. There its k must lie together, as they do in A and not in B: so it is C transposed that is
// computed, B^T * A^T, and B goes through registers.
#include "hopper.h"
#include "params.h"

// The tiles of a round in shared memory, laid out as describe_matrix() says.
struct stage {
    float a[TILE_M][TILE_K];
    float b[TILE_N / PANEL][TILE_K][PANEL];
};
static_assert(sizeof(struct stage) == STAGE_BYTES, "STAGE_BYTES of params_hopper.h");

// C (M x N) = A (M x K) * B (K x N), row-major, below 2^31 elements, C with leading dimension N. A in boxes of
// TILE_M x TILE_K, B of TILE_K x PANEL. A block for each tile of C.
__global__ void __launch_bounds__(THREADS, 1)
    gemm(int M, int N, int K, const __grid_constant__ CUtensorMap A,
         const __grid_constant__ CUtensorMap B, float *C)
{
    extern __shared__ char shared[];
    struct stage *stages = (struct stage *)(shared + (1024 - shared_address(shared) % 1024) % 1024);
    __shared__ barrier full[STAGES], empty[STAGES]; // copied; read
    // Blocks that run together share rows of A and columns of B: they go down GROUP tiles, then right.
    const int tiles_m = (M - 1) / TILE_M + 1, tiles_n = (N - 1) / TILE_N + 1;
    const int above = blockIdx.x / (GROUP * tiles_n) * GROUP; // tiles above this group
    const int high = min(GROUP, tiles_m - above), place = blockIdx.x % (GROUP * tiles_n);
    const int row = (above + place % high) * TILE_M; // first row of the tile of C (0..M-1)
    const int col = place / high * TILE_N;           // first column of the tile of C (0..N-1)
    const int rounds = (K - 1) / TILE_K + 1;
    const int group = __shfl_sync(~0u, threadIdx.x / WARP_GROUP, 0); // the same for all of a warp
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], MULTIPLIERS * WARP_GROUP / 32);
        }
        barrier_init_done();
    }
    __syncthreads();

    if (group == MULTIPLIERS) {
        leave_registers<40>();
        if (threadIdx.x % WARP_GROUP == 0)
            for (int round = 0; round < rounds; round++) {
                const int s = round % STAGES, k = round * TILE_K;
                barrier_wait(&empty[s], round / STAGES - 1);
                barrier_expect(&full[s], sizeof(struct stage));
                copy_box(stages[s].a, &A, row, k, &full[s]);
                for (int p = 0; p < TILE_N / PANEL; p++)
                    copy_box(stages[s].b[p], &B, k, col + p * PANEL, &full[s]);
            }
    } else {
        take_registers<232>();
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4; // as multiply() has them
        // Of its warp's panel of B this thread has two columns, half of a vector: the first 16 lanes, which
        // read together, have vectors 0 and 2, so that they read all banks.
        const int panel = threadIdx.x / 32, vector = (g & 2) | g >> 2, half = g & 1;
        float sum[TILE_M / 64][32] = {}, left[TILE_K / 8][4], next[TILE_K / 8][4];
        auto load = [&](int s) {
            for (int k = 0; k < TILE_K; k += 4) {
                const float *b = stages[s].b[panel][k + q];
                const float2 x = *(const float2 *)&b[(vector ^ (k + q) / 2 % 4) * 4 + half * 2];
                next[k / 8][k / 4 % 2 * 2] = x.x;
                next[k / 8][k / 4 % 2 * 2 + 1] = x.y;
            }
        };
        barrier_wait(&full[0], 0);
        load(0);
        for (int round = 0; round < rounds; round++) {
            const unsigned long long right = describe_tile(stages[round % STAGES].a);
            memcpy(left, next, sizeof left);
            begin_products();
            for (int k = 0; k < TILE_K / 8; k++)
                for (int p = 0; p < TILE_M / 64; p++)
                    multiply(sum[p], left[k], right + p * 512 + k * 2, true);
            end_products();
            if (round + 1 < rounds) { // meanwhile
                barrier_wait(&full[(round + 1) % STAGES], (round + 1) / STAGES);
                load((round + 1) % STAGES);
            }
            wait_products();
            keep(*left, TILE_K / 2);
            keep(*sum, TILE_M / 2);
            if (threadIdx.x % 32 == 0) // each warp has read
                barrier_arrive(&empty[round % STAGES]);
        }

        const int j = col + panel * PANEL + vector * 4 + half * 2; // its columns of C: j and j + 1
#pragma unroll
        for (int m = 0; m < TILE_M / 4; m++) { // its rows of C
            const int i = row + m / 2 * 8 + q * 2 + m % 2;
            const float x = sum[m / 16][m / 2 % 8 * 4 + m % 2];
            const float y = sum[m / 16][m / 2 % 8 * 4 + m % 2 + 2];
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
