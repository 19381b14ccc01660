// SPDX-License-Identifier: MIT
// Asynchronous copies that are wrong, each in the line whose comment begins with its name:
// ./wrong_copies NAME.
#include <cstdio>
#include <cstring>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

__global__ void no_wait(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16);
    __pipeline_commit();
    __syncthreads();
    to[threadIdx.x] = tile[4 * threadIdx.x ^ 4] + 1; // no_wait: address COPY; RACE
    __pipeline_wait_prior(0);
}

// What a batch has that is not committed, no wait waits for.
__global__ void no_commit(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16);
    __pipeline_wait_prior(0);
    __syncthreads();
    to[threadIdx.x] = tile[4 * threadIdx.x ^ 4] + 1; // no_commit: nowhere first nan; address COPY
}

// One batch too many may be on its way.
__global__ void waits_for_less(const float *from, float *to)
{
    __shared__ alignas(16) float tiles[2][128];
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tiles[i][4 * threadIdx.x], &from[4 * threadIdx.x], 16);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    to[threadIdx.x] = tiles[1][4 * threadIdx.x ^ 4] + 1; // waits_for_less: address COPY; RACE
    __pipeline_wait_prior(0);
}

// Of the eight bytes that AddressSanitizer has one entry for, two threads copy four each.
__global__ void four_bytes(const float *from, float *to)
{
    __shared__ float tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x & 30] + 1; // four_bytes: address COPY
}

// After the first of the two has come, the other one is still on its way.
__global__ void four_bytes_overwritten(const float *from, float *to)
{
    __shared__ float tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], 4);
    __pipeline_commit();
    if (threadIdx.x % 2 == 0)
        __pipeline_wait_prior(0);
    __syncthreads();
    if (threadIdx.x % 2 == 0)
        tile[threadIdx.x + 1] = 1; // four_bytes_overwritten: address COPY
    to[threadIdx.x] = 0;
}

// The first four of eight bytes, where nothing comes to the others: AddressSanitizer cannot keep
// these.
__global__ void four_bytes_alone(const float *from, float *to)
{
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[2 * threadIdx.x], &from[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    to[threadIdx.x] = tile[2 * threadIdx.x ^ 2] + 1; // four_bytes_alone: UNWRITTEN
}

// The block's copy, for which nobody has waited.
__global__ void block_copy(const float *from, float *to)
{
    __shared__ float4 tile[32];
    const auto block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, tile, (const float4 *)from, sizeof tile);
    block.sync();
    to[threadIdx.x] = tile[threadIdx.x ^ 1].x + 1; // block_copy: address COPY; RACE
    cooperative_groups::wait(block);
}

// Each waits for its own copy, and reads that of another.
__global__ void no_barrier(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[4 * threadIdx.x ^ 4]; // no_barrier: RACE
}

// The next tile comes while others may still read this one.
// too_early: RACE
__global__ void too_early(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    float sum = 0;
    for (int t = 0; t < 4; t++) {
        __pipeline_memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16); // too_early
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += tile[4 * threadIdx.x ^ 4];
    }
    to[threadIdx.x] = sum;
}

// outside: COPY
__global__ void outside(const float *from, float *to)
{
    __shared__ alignas(16) float tile[64];
    __pipeline_memcpy_async(&tile[4 * (threadIdx.x + 1)], &from[4 * threadIdx.x], 16); // outside
    __pipeline_commit();
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[4 * threadIdx.x];
}

__global__ void reads_outside(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    const float *next = &from[4 * threadIdx.x + 4];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], next, 16); // reads_outside: BOUNDS
    __pipeline_commit();
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[4 * threadIdx.x];
}

__global__ void size_of_12(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 12); // size_of_12: COPY
    to[threadIdx.x] = 0;
}

__global__ void too_many_zeros(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    const float *first = &from[4 * threadIdx.x];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], first, 8, 12); // too_many_zeros: COPY
    to[threadIdx.x] = 0;
}

// misaligned: plain multiple of 16 bytes
__global__ void misaligned(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x + 1], 16); // misaligned
    to[threadIdx.x] = 0;
}

__global__ void to_global(const float *from, float *to)
{
    __pipeline_memcpy_async(&to[threadIdx.x], &from[threadIdx.x], 4); // to_global: COPY
}

__global__ void from_shared(const float *, float *to)
{
    __shared__ alignas(16) float tile[2][32];
    tile[1][threadIdx.x] = 1;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &tile[1][threadIdx.x], 4); // from_shared: COPY
    to[threadIdx.x] = 0;
}

// source_changes: COPY
__global__ void source_changes(float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16); // source_changes
    __pipeline_commit();
    from[4 * threadIdx.x] = 1;
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[4 * threadIdx.x];
}

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

__global__ void not_initialised(const float *, float *to)
{
    __shared__ block_barrier barrier;
    barrier.arrive_and_wait(); // not_initialised: plain nobody has initialised this barrier
    to[threadIdx.x] = 0;
}

// not_all_arrive: plain wait at this barrier, to which 31 of 32 have come
__global__ void not_all_arrive(const float *, float *to)
{
    __shared__ block_barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, 32);
    __syncthreads();
    if (threadIdx.x < 31)
        barrier.arrive_and_wait(); // not_all_arrive
    to[threadIdx.x] = 0;
}

__global__ void nobody_arrives(const float *from, float *to)
{
    __shared__ block_barrier barrier;
    __shared__ alignas(16) float tile[128];
    if (threadIdx.x == 0)
        init(&barrier, 32);
    __syncthreads();
    cuda::memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16, barrier);
    __syncthreads();
    to[threadIdx.x] = tile[4 * threadIdx.x ^ 4] + 1; // nobody_arrives: address COPY
}

__global__ void arrives_and_reads(const float *from, float *to)
{
    __shared__ block_barrier barrier;
    __shared__ alignas(16) float tile[128];
    if (threadIdx.x == 0)
        init(&barrier, 32);
    __syncthreads();
    cuda::memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16, barrier);
    auto token = barrier.arrive();
    to[threadIdx.x] = tile[4 * threadIdx.x ^ 4] + 1; // arrives_and_reads: RACE
    barrier.wait(token);
}

__global__ void not_consumed(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16, pipe);
    pipe.producer_commit();
    __syncthreads();
    to[threadIdx.x] = tile[4 * threadIdx.x ^ 4] + 1; // not_consumed: address COPY
    pipe.consumer_wait();
}

typedef cuda::pipeline_shared_state<cuda::thread_scope_block, 1> one_stage;

__global__ void after_release(const float *from, float *to)
{
    __shared__ one_stage state;
    __shared__ alignas(16) float tile[64];
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, 16);
    for (int i = 0; i < 3; i++)
        if (threadIdx.x < 16) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16, pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            pipe.consumer_release();
            to[threadIdx.x] = tile[(4 * threadIdx.x - 64) ^ 4]; // after_release: RACE
        }
}

// no_release: plain wait at this barrier, to which 0 of 16 have come
__global__ void no_release(const float *from, float *to)
{
    __shared__ one_stage state;
    __shared__ alignas(16) float tile[64];
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, 16);
    for (int i = 0; i < 3; i++)
        if (threadIdx.x < 16) {
            pipe.producer_acquire(); // no_release
            cuda::memcpy_async(&tile[4 * threadIdx.x], &from[4 * threadIdx.x], 16, pipe);
            pipe.producer_commit();
        } else if (i == 0) {
            pipe.consumer_wait();
            to[threadIdx.x] = tile[(4 * threadIdx.x - 64) ^ 4];
        }
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(const float *, float *);
        int threads;
    } kernels[] = {{"no_wait", no_wait, 32},
                   {"no_commit", no_commit, 32},
                   {"block_copy", block_copy, 32},
                   {"waits_for_less", waits_for_less, 32},
                   {"four_bytes", four_bytes, 32},
                   {"four_bytes_overwritten", four_bytes_overwritten, 32},
                   {"four_bytes_alone", four_bytes_alone, 32},
                   {"no_barrier", no_barrier, 32},
                   {"too_early", too_early, 32},
                   {"outside", outside, 16},
                   {"reads_outside", reads_outside, 32},
                   {"size_of_12", size_of_12, 1},
                   {"too_many_zeros", too_many_zeros, 1},
                   {"misaligned", misaligned, 1},
                   {"to_global", to_global, 1},
                   {"from_shared", from_shared, 1},
                   {"not_initialised", not_initialised, 32},
                   {"not_all_arrive", not_all_arrive, 32},
                   {"nobody_arrives", nobody_arrives, 32},
                   {"arrives_and_reads", arrives_and_reads, 32},
                   {"not_consumed", not_consumed, 32},
                   {"after_release", after_release, 32},
                   {"no_release", no_release, 32}};
    float *from, *to, host[32];
    cudaMalloc(&from, 128 * sizeof(float));
    cudaMalloc(&to, sizeof host);
    cudaMemset(from, 0, 128 * sizeof(float));
    cudaMemset(to, 0, sizeof host);
    for (auto &k : kernels)
        if (strcmp(argv[1], k.name) == 0) {
            const auto wrong = k.kernel;
            wrong<<<1, k.threads>>>(from, to);
        }
    if (strcmp(argv[1], "source_changes") == 0)
        source_changes<<<1, 32>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("first %g\n", host[0]);
    return 0;
}
