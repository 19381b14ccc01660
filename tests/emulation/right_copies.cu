// SPDX-License-Identifier: MIT
// Asynchronous copies, used as they should be: prints "right".
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

enum { THREADS = 64, TILES = 10, STAGES = 3 };

// Sums tiles of 4 * THREADS numbers; each thread copies four of them, and reads those of another.
__global__ void sums(const float *from, float *to)
{
    __shared__ alignas(16) float stages[STAGES][4 * THREADS];
    const int t = threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < TILES + STAGES - 1; tile++) {
        if (tile < TILES)
            __pipeline_memcpy_async(&stages[tile % STAGES][4 * t], &from[(tile * THREADS + t) * 4],
                                    16);
        __pipeline_commit(); // of nothing, too: so that the number of batches goes with `tile`
        if (tile < STAGES - 1)
            continue;
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        for (int i = 0; i < 4; i++)
            sum += stages[(tile + 1) % STAGES][4 * (THREADS - 1 - t) + i];
        __syncthreads();
    }
    to[t] = sum;
}

// The same sums, by copies of the block, as elements of any type: one tile is on its way while the
// one before is summed.
template <class Element> __global__ void by_the_block(const float *from, float *to)
{
    __shared__ float stages[2][4 * THREADS];
    const auto block = cooperative_groups::this_thread_block();
    const int t = threadIdx.x;
    float sum = 0;
    auto copy = [&](int tile) {
        cooperative_groups::memcpy_async(
            block, reinterpret_cast<Element *>(stages[tile % 2]),
            reinterpret_cast<const Element *>(from + tile * 4 * THREADS), sizeof stages[0]);
    };
    copy(0);
    for (int tile = 0; tile < TILES; tile++) {
        if (tile + 1 < TILES) {
            copy(tile + 1);
            cooperative_groups::wait_prior<1>(block);
        } else
            cooperative_groups::wait(block);
        for (int i = 0; i < 4; i++)
            sum += stages[tile % 2][4 * (THREADS - 1 - t) + i];
        block.sync();
    }
    to[t] = sum;
}

// Of a part of what is copied there is nothing to read: zeros.
__global__ void edges(const float *from, float *to)
{
    __shared__ alignas(16) float tile[8];
    if (threadIdx.x == 0) {
        __pipeline_memcpy_async(&tile[0], from, 16, 12);
        __pipeline_memcpy_async(&tile[4], from + 2, 8, 8);
        __pipeline_memcpy_async(&tile[6], from + 3, 4);
        __pipeline_memcpy_async(&tile[7], from + 1, 4, 0);
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x];
}

// The same sums, of four bytes at a time. Of two neighbours one waits, and uses what has come to
// it, while the other's copy is on its way; then the other way round.
__global__ void by_fours(const float *from, float *to)
{
    __shared__ float tile[4 * THREADS + 1];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < TILES; i++) {
        for (int j = 0; j < 4; j++) {
            const int at = j * THREADS + t;
            __pipeline_memcpy_async(&tile[at], &from[i * 4 * THREADS + at], 4);
        }
        __pipeline_commit();
        for (int turn = 0; turn < 2; turn++) {
            if ((t + i) % 2 == turn) {
                __pipeline_wait_prior(0);
                tile[t] += 1;
                tile[t] -= 1;
            }
            __syncthreads();
        }
        for (int j = 0; j < 4; j++)
            sum += tile[4 * (THREADS - 1 - t) + j];
        __syncthreads();
        tile[t + 1] = 0; // of the copies nothing is left
        __syncthreads();
    }
    to[t] = sum;
}

// The same sums, with two stages and a barrier for each.
__global__ void with_barriers(const float *from, float *to)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> full[2];
    __shared__ alignas(16) float stages[2][4 * THREADS];
    auto block = cooperative_groups::this_thread_block();
    const int t = int(block.thread_rank());
    float sum = 0;
    if (t < 2)
        init(&full[t], block.size());
    block.sync();
    for (int tile = 0; tile <= TILES; tile++) {
        if (tile < TILES)
            cuda::memcpy_async(&stages[tile % 2][4 * t], &from[(tile * THREADS + t) * 4],
                               cuda::aligned_size_t<16>(16), full[tile % 2]);
        if (tile == 0)
            continue;
        auto token = full[(tile - 1) % 2].arrive();
        full[(tile - 1) % 2].wait(token);
        for (int i = 0; i < 4; i++)
            sum += stages[(tile - 1) % 2][4 * (THREADS - 1 - t) + i];
        block.sync();
    }
    to[t] = sum;
}

// And with a thread's pipeline.
__global__ void with_pipeline(const float *from, float *to)
{
    __shared__ alignas(16) float stages[2][4 * THREADS];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const int t = threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile <= TILES; tile++) {
        if (tile < TILES) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stages[tile % 2][4 * t], &from[(tile * THREADS + t) * 4],
                               cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
        if (tile == 0)
            continue;
        pipe.consumer_wait();
        __syncthreads();
        for (int i = 0; i < 4; i++)
            sum += stages[(tile - 1) % 2][4 * (THREADS - 1 - t) + i];
        pipe.consumer_release();
        __syncthreads();
    }
    to[t] = sum;
}

// And with a block's: half of its threads copy, the others add.
__global__ void with_roles(const float *from, float *to)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) float stages[2][4 * THREADS];
    const bool produces = threadIdx.x >= THREADS;
    const int t = threadIdx.x % THREADS;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                                    produces ? cuda::pipeline_role::producer
                                             : cuda::pipeline_role::consumer);
    float sum = 0;
    for (int tile = 0; tile < TILES; tile++)
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stages[tile % 2][4 * t], &from[(tile * THREADS + t) * 4], 16, pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int i = 0; i < 4; i++)
                sum += stages[tile % 2][4 * (THREADS - 1 - t) + i];
            pipe.consumer_release();
        }
    if (!produces)
        to[t] = sum;
}

static bool is_sum(const float *sums)
{
    bool right = true;
    for (int t = 0; t < THREADS; t++) {
        float want = 0;
        for (int tile = 0; tile < TILES; tile++)
            want += 4 * ((tile * THREADS + THREADS - 1 - t) * 4) + 6;
        right = right && sums[t] == want;
    }
    return right;
}

int main()
{
    static float host[TILES * THREADS * 4];
    float *from, *to;
    bool right = true;
    for (int i = 0; i < TILES * THREADS * 4; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, THREADS * sizeof(float));
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    auto sums_by = [&](void (*kernel)(const float *, float *), int threads) {
        cudaMemset(to, 0, THREADS * sizeof(float));
        kernel<<<1, threads>>>(from, to);
        cudaMemcpy(host, to, THREADS * sizeof(float), cudaMemcpyDeviceToHost);
        right = right && is_sum(host);
    };
    sums_by(sums, THREADS);
    sums_by(by_the_block<float>, THREADS);
    sums_by(by_the_block<float4>, THREADS);
    sums_by(by_the_block<short>, THREADS); // not asynchronously
    sums_by(by_fours, THREADS);
    sums_by(with_barriers, THREADS);
    sums_by(with_pipeline, THREADS);
    sums_by(with_roles, 2 * THREADS);
    edges<<<1, 8>>>(from, to);
    cudaMemcpy(host, to, 8 * sizeof(float), cudaMemcpyDeviceToHost);
    const float want[8] = {0, 0, 0, 0, 0, 0, 3, 1};
    for (int i = 0; i < 8; i++)
        right = right && host[i] == want[i];
    puts(right ? " right" : "wrong");
    return right ? 0 : 1;
}
