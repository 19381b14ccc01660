// SPDX-License-Identifier: MIT
// Kernels that are wrong: ./wrong NAME. The line of a mistake ends with the kernel's name, and
// one comment for each kernel says which build of it finds the mistake, in which words:
// test_emulation.py has the abbreviations.
#include <cstdlib>
#include <cstring>

struct matrix {
    int rows, cols;
    float *data;
};
__device__ float scratch[64], total;
__device__ unsigned counter;

__global__ void copy(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void copy_matrix(matrix from, float *to)
{
    to[threadIdx.x] = from.data[threadIdx.x];
}

// launch_bounds: plain __launch_bounds__ promises 32
__global__ void __launch_bounds__(32) bounded(float *to) // launch_bounds
{
    to[threadIdx.x] = 1;
}

// misaligned: plain multiple of 16 bytes; thread multiple of 16 bytes; address misaligned address
__global__ void misaligned(const float *from, float4 *to)
{
    *to = *reinterpret_cast<const float4 *>(from + threadIdx.x + 1); // misaligned
}

// misaligned_ldg: plain multiple of 16 bytes; address misaligned address
__global__ void misaligned_ldg(const float *from, float4 *to)
{
    *to = __ldg(reinterpret_cast<const float4 *>(from + 1)); // misaligned_ldg
}

__device__ int depth(int n)
{
    volatile int here[64];
    here[n % 64] = n;
    return n == 0 ? 0 : depth(n - 1) + here[n % 64];
}

__global__ void stack(float *to) // stack: nowhere needs more than 64 KiB of stack
{
    *to = depth(100000);
}

__global__ void past_the_end(const float *from, float *to)
{
    to[threadIdx.x] = __ldg(from + 32 + threadIdx.x); // past_the_end: BOUNDS
}

// warp_if: plain waits at this __shfl_xor_sync
__global__ void warp_if(float *to)
{
    if (threadIdx.x < 16)
        to[threadIdx.x] = __shfl_xor_sync(~0u, 1.0f, 1); // warp_if
    __syncthreads();
}

__global__ void warp_masks(float *to)
{
    const unsigned mask = threadIdx.x < 16 ? 0x1ffff : ~0u;
    to[threadIdx.x] = __shfl_sync(mask, 1.0f, 0); // warp_masks: plain warp divergence
}

__global__ void warp_self(float *to)
{
    to[threadIdx.x] = __any_sync(0xffff, 1); // warp_self: plain does not name it
}

__global__ void warp_gone(float *to) // warp_gone: nowhere first nan
{
    if (threadIdx.x == 31)
        return;
    to[threadIdx.x] = __shfl_sync(~0u, 1.0f, 31);
}

__global__ void count_if(float *to)
{
    if (threadIdx.x < 16)
        to[threadIdx.x] = __syncthreads_count(1); // count_if: plain barrier divergence
}

// Each block takes the scratch for its own.
__global__ void shared_scratch(float *to)
{
    scratch[threadIdx.x] = blockIdx.x; // shared_scratch: nowhere , wrong; RACE
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

__global__ void sum(float *to)
{
    to[threadIdx.x] += 1; // sum: RACE
}

__global__ void mixed(float *to)
{
    if (blockIdx.x == 0)
        to[0] = 0;
    else
        atomicAdd(to, 1.0f); // mixed: RACE
}

// What is read is used, and not compared by an atomicCAS first.
__global__ void reads_the_sum(float *to)
{
    atomicAdd(&total, 1.0f);
    to[blockIdx.x] = total; // reads_the_sum: RACE
}

__global__ void compares_another(float *to)
{
    unsigned old = counter, other = blockIdx.x; // compares_another: RACE
    to[blockIdx.x] = old;
    atomicCAS(&counter, other, other + 1);
}

__global__ void store_beside_cas(float *)
{
    unsigned old = counter, assumed;
    if (blockIdx.x == 0)
        counter = 7; // store_beside_cas: RACE
    else
        do {
            assumed = old;
            old = atomicCAS(&counter, assumed, assumed + 1);
        } while (assumed != old);
}

__global__ void no_fence(float *to)
{
    scratch[blockIdx.x] = 1;
    if (atomicAdd(&counter, 1u) == gridDim.x - 1)
        for (unsigned i = 0; i < gridDim.x; i++)
            *to = scratch[i]; // no_fence: RACE
}

__global__ void no_syncwarp(float *to)
{
    __shared__ float s[32];
    s[threadIdx.x] = 1;
    to[threadIdx.x] = s[threadIdx.x ^ 1]; // no_syncwarp: RACE
}

__global__ void after_shuffle(float *to)
{
    __shared__ float s[32];
    float x = __shfl_xor_sync(~0u, 1.0f, 1);
    s[threadIdx.x] = x;
    to[threadIdx.x] = s[threadIdx.x ^ 1]; // after_shuffle: RACE
}

// A call of the warp orders nothing between two warps.
__global__ void other_warp(float *to)
{
    __shared__ float s[64];
    s[threadIdx.x] = 1;
    __syncwarp();
    to[threadIdx.x] = s[threadIdx.x ^ 32]; // other_warp: RACE
}

__global__ void dynamic_past(float *to)
{
    extern __shared__ float d[];
    d[threadIdx.x + 1] = 1; // dynamic_past: BOUNDS
    to[threadIdx.x] = 1;
}

__global__ void dynamic_race(float *to)
{
    extern __shared__ float d[];
    d[threadIdx.x] = 1;
    to[threadIdx.x] = d[threadIdx.x ^ 32]; // dynamic_race: RACE
}

__global__ void dynamic_unwritten(float *to) // dynamic_unwritten: nowhere first nan
{
    extern __shared__ float d[];
    to[threadIdx.x] = d[threadIdx.x];
}

__global__ void whole_warps(float *to)
{
    if (threadIdx.x < 32)
        __syncthreads(); // whole_warps: plain a GPU counts warps, and may let these pass
    to[threadIdx.x] = 1;
}

__global__ void one_returns(float *to)
{
    if (threadIdx.x == 5)
        return;
    __syncthreads(); // one_returns: plain all threads of a block must come to the same one
    to[threadIdx.x] = 1;
}

// far_past: plain thread (0,0,0) of block (0,0,0) of far_past writes at; thread far_past writes at
__global__ void far_past(float *to) // of its threads, some are stopped in the middle
{
    __shared__ volatile int tile[32];
    tile[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        to[100000] = 1; // far_past
    __syncthreads();
}

__global__ void by_zero(float *to)
{
    to[0] = 7 / (int(threadIdx.x) / 32); // by_zero: plain of by_zero divides by 0
}

__global__ void just_past(float *to)
{
    to[33] = 1;
}

// unwritten_index: plain made of a number that nobody wrote (0x7fa5a5a5)
__global__ void unwritten_index(const float *, float *to)
{
    __shared__ int index[2];
    to[threadIdx.x] = to[index[threadIdx.x]]; // unwritten_index
}

// unwritten_sum: address is what memory holds here that nobody wrote
__global__ void unwritten_sum(float *to)
{
    __shared__ int sums[2];
    to[threadIdx.x] = sums[0] + 200000000; // unwritten_sum
}

// A maximum drops a NaN, and not what may be there on a GPU.
// unwritten_largest: nowhere-thread first 2.2; UNWRITTEN
__global__ void unwritten_largest(float *to)
{
    __shared__ float tile[64];
    if (threadIdx.x > 0)
        tile[2 * threadIdx.x] = tile[2 * threadIdx.x + 1] = 1;
    __syncwarp();
    float largest = 0;
    for (int i = 0; i < 64; i++)
        largest = tile[i] > largest ? tile[i] : largest; // unwritten_largest
    to[threadIdx.x] = largest;
}

// Two lines between two barriers, and a loop that comes to the first one often.
__global__ void unwritten_twice(float *to)
{
    __shared__ double tile[16];
    double first = 0, sum = 0;
    for (int i = 0; i < 16; i++)
        first += 2 * tile[i]; // unwritten_twice: UNWRITTEN
    for (int i = 0; i < 16; i++)
        sum += tile[i] - 1; // unwritten_twice
    to[0] = float(first + sum);
}

#define RUN(kernel, blocks, threads, bytes)                                                        \
    if (is(#kernel))                                                                               \
    kernel<<<blocks, threads, bytes>>>(to)

// freed_pointer: plain argument 1 of this launch points to memory
// host_matrix: plain argument 1 of this launch points to memory
// just_past: plain just_past, writes 4 bytes past the end of 128 bytes
int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    float *from, *to, *freed, host[256] = {};
    cudaMalloc(&from, 32 * sizeof(float));
    cudaMalloc(&to, sizeof host);
    cudaMalloc(&freed, 32 * sizeof(float));
    cudaMemset(from, 0, 32 * sizeof(float));
    cudaMemset(to, 0, sizeof host);
    cudaFree(freed);
    auto is = [name](const char *which) { return strcmp(name, which) == 0; };
    if (is("host_pointer"))
        copy<<<1, 32>>>(host, to); // host_pointer: plain argument 1 of this launch points to memory
    if (is("freed_pointer"))
        copy<<<1, 32>>>(freed, to); // freed_pointer
    if (is("host_matrix"))
        copy_matrix<<<1, 32>>>(matrix{1, 32, host}, to); // host_matrix
    if (is("host_variable"))
        scratch[argc] = 1; // host_variable: BOUNDS
    if (is("launch_bounds"))
        bounded<<<1, 64>>>(to);
    if (is("misaligned"))
        misaligned<<<1, 1>>>(from, reinterpret_cast<float4 *>(to));
    if (is("misaligned_ldg"))
        misaligned_ldg<<<1, 1>>>(from, reinterpret_cast<float4 *>(to));
    RUN(stack, 1, 1, 0);
    if (is("past_the_end"))
        past_the_end<<<1, 32>>>(from, to);
    RUN(warp_if, 1, 32, 0);
    RUN(warp_masks, 1, 32, 0);
    RUN(warp_self, 1, 32, 0);
    RUN(warp_gone, 1, 32, 0);
    RUN(count_if, 1, 32, 0);
    RUN(sum, 8, 32, 0);
    RUN(mixed, 4, 1, 0);
    RUN(reads_the_sum, 8, 1, 0);
    RUN(compares_another, 8, 1, 0);
    RUN(store_beside_cas, 8, 1, 0);
    RUN(no_fence, 8, 1, 0);
    RUN(no_syncwarp, 1, 32, 0);
    RUN(after_shuffle, 1, 32, 0);
    RUN(other_warp, 1, 64, 0);
    RUN(dynamic_past, 1, 32, 32 * sizeof(float));
    RUN(dynamic_race, 1, 64, 64 * sizeof(float));
    RUN(dynamic_unwritten, 1, 32, 32 * sizeof(float));
    if (is("dynamic_none")) // dynamic_none: nowhere an extern __shared__ array gets no memory
        dynamic_unwritten<<<1, 32>>>(to);
    RUN(whole_warps, 1, 64, 0);
    RUN(one_returns, 1, 32, 0);
    if (is("far_past"))
        far_past<<<1, 32>>>(to);
    if (is("by_zero"))
        by_zero<<<1, 1>>>(to);
    if (is("just_past"))
        just_past<<<1, 1>>>(from); // just_past
    if (is("unwritten_index"))
        unwritten_index<<<1, 1>>>(from, to);
    RUN(unwritten_largest, 1, 32, 0);
    RUN(unwritten_twice, 1, 1, 0);
    RUN(unwritten_sum, 1, 1, 0);
    bool wrong = false;
    for (int run = 0; run < 50 && is("shared_scratch"); run++) {
        shared_scratch<<<8, 32>>>(to);
        cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 256; i++)
            wrong = wrong || host[i] != i / 32;
    }
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: first %g, %s\n", name, host[0], wrong ? "wrong" : "right");
    return wrong;
}
