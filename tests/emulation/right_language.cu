// SPDX-License-Identifier: MIT
// The language, and functions of kernels, as people write them: prints "right".
#include <cublas_v2.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h> // not used
#include <cub/cub.cuh>
#include <device_launch_parameters.h>
#include "cuda.h"
#include "right_language.cuh"
#include "right.h"
#ifndef CUBLAS_API_H_
#error "samples of NVIDIA ask for this"
#endif
namespace cg = cooperative_groups;

extern __shared__ float dynamic[];

// Functions, with the = and the [ of a variable, and a variable behind them.
struct row {
    float at[4];
    __device__ float &operator[](int i)
    {
        return at[i];
    }
};
__device__ float2 &operator+=(float2 &a, const float2 &b)
{
    a.x += b.x, a.y += b.y;
    return a;
}
__device__ float2 half_of_it = {0.5f, 0.25f};
template <class T> __device__ constexpr T two_of = T(2);

__global__ void uses_dynamic(float *x)
{
    dynamic[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x] + last(x) * 0;
}

__global__ void uses_operators(float *x)
{
    row r = {{1, 2, 3, 4}};
    float2 sum = {x[0], r[3]};
    sum += half_of_it;
    x[0] = sum.x + sum.y;
}

__global__ void uses_macro(float *x, const float *nothing)
{
    TILE(tile, 32);
    tile[threadIdx.x] = nothing == nullptr ? 7 : 8;
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
}

// Each several times in one function, and in one line; and a macro that is the word alone.
__global__ void uses_macros(float *x)
{
    TILE(a, 32);
    TILE(b, 32);
    TILE(c, 16);
    TYPED_TILE(float, d, 8) TYPED_TILE(int, e, 4);
    SHARED float f[32], g;
    SHARED_UNSIGNED h[4][8], l;
    const int i = threadIdx.x;
    __builtin_assume(i < 32);
    __stwt(&x[i], __ldcv(&x[i])), __stwb(&x[i], __ldlu(&x[i]));
    a[i] = b[31 - i] = x[i];
    d[i / 8][i % 8] = f[i] = 1;
    if (i < 16)
        c[i] = 1;
    if (i == 0)
        e[0][0] = 2, g = 1, l = 3;
    h[i % 4][i / 4] = i;
    __syncthreads();
    x[i] = a[31 - i] + b[i] + c[i / 2] + d[i / 8][i % 8] + f[i] + g + e[0][0] +
           (l + h[i % 4][i / 4] - i - 3);
}

// What is written as an int4 and read as floats.
__global__ void aliasing(const int *from, float *to)
{
    __align__(16) float sums[2][4];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            sums[i][j] = 0;
    for (int i = 0; i < 2; i++)
        *(int4 *)&sums[i][0] = *(const int4 *)&from[4 * i];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            to[4 * i + j] = sums[i][j] + 1;
}

// Four halves of a thread's own, wherever they lie, are two floats.
__global__ void own_halves(float *to)
{
    half around[9];
    for (int i = 0; i < 9; i++)
        around[i] = __int2half_rn(i);
    const float2 a = *(const float2 *)&around[0], b = *(const float2 *)&around[1];
    to[0] = __half2float(((const half *)&a)[3]) + __half2float(((const half *)&b)[3]);
}

__global__ void functions(float *to)
{
    int i = 0;
    to[i++] = rsqrtf(4) - 0.5f;
    to[i++] = __expf(0) - 1;
    to[i++] = __logf(1);
    to[i++] = __fdividef(6, 3) - 2;
    to[i++] = __frcp_rn(4) - 0.25f;
    to[i++] = float(__umul24(3, 5)) - 15;
    to[i++] = float(__clzll(1)) - 63;
    to[i++] = __brev(1) == 0x80000000u ? 0 : 1;
    to[i++] = __int_as_float(__float_as_int(3)) - 3;
    to[i++] = float(umin(3u, 4u)) - 3;
    to[i] = 5;
    __stcs(&to[i], __ldcs(&to[i]) - __ldcg(&to[i]));
    i++;
    const half a = 2, b = 3;
    const half2 pair = __halves2half2(a, b);
    to[i++] = __half2float(__hmax(a, b)) - 3;
    to[i++] = __hgt(a, b) ? 1 : 0;
    to[i++] = __half2float(__hneg(a)) + 2;
    to[i++] = __low2float(pair) - 2;
    to[i++] = __low2float(h2exp(__float2half2_rn(0))) - 1;
    to[i++] = __fadd_rd(1, 1e-9f) - 1;
    to[i++] = __fsub_rz(1, 1e-9f) < 1 ? 0 : 1;
    to[i++] = __fmul_ru(1 + 0x1p-23f, 1 + 0x1p-23f) - (1 + 3 * 0x1p-23f);
    to[i++] = __fdiv_ru(1, 3) - __fdiv_rd(1, 3) - 0x1p-25f;
    to[i++] = __fmaf_rz(-1, 1, -1e-9f) + 1;
    to[i++] = __fsqrt_ru(2) - __fsqrt_rd(2) - 0x1p-23f;
    to[i++] = float(__drcp_ru(3) - __drcp_rd(3) - 0x1p-54);
    to[i++] = float(__dadd_ru(1, 1e-30) - 1 - 0x1p-52);
    to[i++] = to[0] + 1 + 1e-9f - 1; // to the nearest again
    const long long start = clock64();
    __nanosleep(20);
    to[i++] = clock64() >= start ? 0 : 1;
    to[i++] = two_of<float> - two_of<int>;
    to[i++] = __byte_perm(0x33221100, 0x77665544, 0x0415) == 0x00441155 ? 0 : 1;
}

__global__ void groups(float *to)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    cg::thread_group quads = cg::tiled_partition(block, 4);
    const float sum = cg::reduce(tile, float(threadIdx.x), cg::plus<float>());
    const int most = cg::reduce(warp, int(threadIdx.x), cg::greater<int>());
    const half first = __shfl_sync(~0u, half(float(threadIdx.x)), 3);
    quads.sync();
    block.sync();
    to[threadIdx.x] = sum + most * 1000 + tile.meta_group_rank() * 0.5f +
                      quads.thread_rank() * 0.125f + (__half2float(first) - 3);
}

struct largest {
    float value;
    int where;
};

__device__ __forceinline__ largest larger(largest a, largest b) // by its address, too
{
    return a.value > b.value ? a : b;
}

// Structs, and tiles of two warps.
__global__ void more_groups(float *to)
{
    __shared__ cg::block_tile_memory<128> memory;
    auto block = cg::this_thread_block(memory);
    auto warps = cg::tiled_partition<64>(block);
    const largest mine = {float(threadIdx.x * 37 % 64), int(threadIdx.x)};
    const largest of_warp = cg::reduce(cg::tiled_partition<32>(block), mine, larger);
    const largest of_all = cg::reduce(warps, mine, larger);
    warps.sync();
    to[threadIdx.x] = float(of_warp.where + 100 * of_all.where);
    to[threadIdx.x] += 20000.0f * warps.meta_group_rank() + 0.5f * (warps.thread_rank() == 63);
}

// As samples have them for two generations of GPUs.
#if __CUDA_ARCH__ >= 800
__device__ int sum_of(unsigned mask, int x)
{
    return __reduce_add_sync(mask, x) + __reduce_max_sync(mask, x);
}
#else
__device__ int sum_of(unsigned, int)
{
    return 0;
}
#endif

// A kernel is compiled for a GPU, and may have no other body.
template <class T> __global__ void __launch_bounds__(32) architecture(T *to)
{
    T is = 0;
#if __CUDA_ARCH__ >= 800 && defined(__CUDA_ARCH__)
    is += 1;
#endif
#ifdef __CUDA_ARCH__
    is += 10;
#else
    is += 100;
#endif
#ifndef __CUDA_ARCH__
    is += 1000;
#endif
    to[threadIdx.x] = threadIdx.x < 4 ? T(sum_of(0xF, int(threadIdx.x) - 7)) : is;
}

// A comparison, several types and a shift, in what is rewritten.
template <int N> __device__ typename std::enable_if<N != 2 && N % 2 == 0, float>::type half_of()
{
    return N / 2;
}

template <bool is_large, class... Types> __global__ void sizes(Types *...x)
{
    int shifted = 0;
    asm volatile("mov.u32 %0, %1;" : "=r"(shifted) : "r"(int(sizeof...(Types)) << 4));
    ((*x = Types(is_large + shifted + half_of<4>() + INT_MIN % 2)), ...);
}

template <int N, class... Types> static void launch_sizes(Types *...x)
{
    sizes<(N >= 2) && N == 4, Types...><<<1, 1>>>(x...);
}

static void test_host_names(float *x)
{
    dim3 gridDim(1, 1), blockDim(32);
    int threadIdx = 3;
    reverse<32><<<gridDim, blockDim>>>(x);
    WANT(gridDim.x * blockDim.x + threadIdx == 35);
}

static void by_pointer(float *x)
{
    void (*kernels[2])(float *) = {reverse<32>, uses_dynamic};
    for (int i = 0; i < 2; i++)
        kernels[i]<<<1, 32, 128>>>(x);
}

int main()
{
    float host[64], two[2] = {1, 2}, *x;
    int numbers[8] = {0, 0x3F800000, 0x40000000, 0, 0, 0, 0, 0x3F800000};
    cudaMalloc(&x, sizeof host);
    auto put = [&](int step) {
        for (int i = 0; i < 64; i++)
            host[i] = float(i * step);
        cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    };
    auto get = [&] {
        WANT(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    };
    cudaMemcpyToSymbol(factors, two, sizeof two);
    put(1);
    launch_reverse(x);
    get();
    WANT(host[0] == 62 && host[31] == 0);
    put(1);
    test_host_names(x);
    get();
    WANT(host[0] == 62);
    put(1);
    by_pointer(x);
    get();
    WANT(host[0] == 0 && host[31] == 62);
    LAUNCH(uses_macro, 1, 32, x, nullptr);
    uses_macro<<<1, 32>>>(x, NULL);
    get();
    WANT(host[0] == 7);
    uses_macros<<<1, 32>>>(x);
    get();
    WANT(host[0] == 20 && host[31] == 20);
    uses_operators<<<1, 1>>>(x);
    get();
    WANT(host[0] == 24.75f);
    launch_sizes<4>(x, reinterpret_cast<int *>(x + 1));
    get();
    WANT(host[0] == 35 && __builtin_memcmp(&host[1], "\43\0\0", 4) == 0);
    cudaMemcpy(x + 8, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    aliasing<<<1, 1>>>((const int *)(x + 8), x);
    get();
    WANT(host[0] == 1 && host[1] == 2 && host[2] == 3 && host[7] == 2);
    own_halves<<<1, 1>>>(x);
    get();
    WANT(host[0] == 7);
    put(0);
    functions<<<1, 1>>>(x);
    get();
    for (int i = 0; i < 27; i++)
        WANT(host[i] == 0);
    groups<<<1, 64>>>(x);
    get();
    for (int i = 0; i < 64; i++)
        WANT(host[i] == i / 8 * 64 + 28 + (i / 32 * 32 + 31) * 1000 + i / 8 * 0.5f +
                            i % 4 * 0.125f + i / 32 * 32);

#ifdef __CUDA_ARCH__
    WANT(!"a host program");
#endif
    architecture<<<1, 32>>>(x);
    get();
    WANT(host[0] == -22 - 4 && host[3] == -26 && host[4] == 11);

    // Of i * 37 % 64 the largest of each warp is at i = 19, 38, 83 and 102.
    float *y, more[128];
    cudaMalloc(&y, sizeof more);
    more_groups<<<1, 128>>>(y);
    WANT(cudaMemcpy(more, y, sizeof more, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < 128; i++) {
        const int of_warp[4] = {19 + 100 * 19, 38 + 100 * 19, 83 + 100 * 83, 102 + 100 * 83};
        WANT(more[i] == of_warp[i / 32] + (i < 64 ? 0 : 20000) + 0.5f * (i % 64 == 63));
    }

    // A (2 x 3) of 1 to 6 times B (3 x 2) of 1 to 6, all column by column.
    cublasHandle_t handle;
    const float one = 1, none = 0;
    put(1);
    WANT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    WANT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, x + 1, 2, x + 1, 3, &none,
                     x + 32, 2) == CUBLAS_STATUS_SUCCESS);
    cublasSgemv(handle, CUBLAS_OP_T, 2, 3, &one, x + 1, 2, x + 1, 1, &one, x + 40, 1);
    get();
    WANT(host[32] == 22 && host[33] == 28 && host[34] == 49 && host[35] == 64);
    WANT(host[40] == 45 && host[41] == 52 && host[42] == 59);
    cublasDestroy(handle);
    srand(unsigned(clock() + time(nullptr)));
    assert(rand() >= 0);
    return end();
}
