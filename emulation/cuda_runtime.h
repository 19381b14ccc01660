// SPDX-License-Identifier: MIT
// CUDA C on a CPU: what the labs use of CUDA, for g++ and clang++. See README.md. `rewrite` turns
// <<<...>>> and __shared__ into C++; emulation.cpp runs the threads.
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H
#define CUDA_EMULATED 1

#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>

// ---- the language -----------------------------------------------------------------------------
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z)
    {
    }
};

#define EMULATION_VECTORS(element, name)                                                           \
    struct __align__(2 * sizeof(element)) name##2                                                  \
    {                                                                                              \
        element x, y;                                                                              \
    };                                                                                             \
    struct __align__(16) name##4                                                                   \
    {                                                                                              \
        element x, y, z, w;                                                                        \
    };                                                                                             \
    static inline name##2 make_##name##2(element x, element y)                                     \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline name##4 make_##name##4(element x, element y, element z, element w)               \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
EMULATION_VECTORS(float, float)
EMULATION_VECTORS(double, double)
EMULATION_VECTORS(int, int)
EMULATION_VECTORS(unsigned, uint)

template <class T> T min(T a, T b)
{
    return b < a ? b : a;
}

template <class T> T max(T a, T b)
{
    return a < b ? b : a;
}

template <class T> T __ldg(const T *p)
{
    return *p;
}

namespace emulation
{
// The answers stay the same while a thread lives, hence const: the compiler may ask once.
__attribute__((const)) uint3 thread_index();
__attribute__((const)) uint3 block_index();
__attribute__((const)) dim3 block_size();
__attribute__((const)) dim3 grid_size();
} // namespace emulation
#define threadIdx (emulation::thread_index())
#define blockIdx (emulation::block_index())
#define blockDim (emulation::block_size())
#define gridDim (emulation::grid_size())

// The defaults are the place of the call: the line that a message names.
void __syncthreads(const char *file = __builtin_FILE(), int line = __builtin_LINE());

// ---- what `rewrite` writes --------------------------------------------------------------------
namespace emulation
{
void *shared_memory(const void *declaration, std::size_t bytes);
void *dynamic_memory();

// The shared variables of one declaration: struct { real tile[8][8]; }. One per block.
template <class T> T &shared()
{
    static_assert(std::is_trivially_default_constructible<T>::value,
                  "a __shared__ variable cannot have an initial value");
    static char declaration; // its address tells this declaration from the others
    return *static_cast<T *>(shared_memory(&declaration, sizeof(T)));
}

struct dynamic_shared {
    template <class T> operator T *() const
    {
        return static_cast<T *>(dynamic_memory());
    }
};

// kernel<<<grid, block>>>(a, b) becomes kernel->*configuration(grid, block)(a, b). A call binds
// more tightly than ->*, so that the configuration gets the arguments first.
template <class... A> struct call;

struct configuration {
    dim3 grid, block;
    std::size_t shared;
    configuration(dim3 g, dim3 b, std::size_t s = 0) : grid(g), block(b), shared(s)
    {
    }
    template <class Stream> configuration(dim3, dim3, std::size_t, Stream)
    {
        static_assert(sizeof(Stream) == 0, "streams are not emulated: they need nvcc and a GPU");
    }
    template <class... A> call<A...> operator()(A... arguments) const
    {
        return {*this, {arguments...}};
    }
};

template <class... A> struct call {
    configuration where;
    std::tuple<A...> arguments;
};

void launch(const configuration &where, void (*thread)(const void *), const void *context);

template <class... P, class... A> void operator->*(void (*kernel)(P...), const call<A...> &c)
{
    struct context {
        void (*kernel)(P...);
        std::tuple<P...> arguments;
    } context_of_all = {kernel, c.arguments};
    launch(
        c.where,
        [](const void *of_all) {
            const context *own = static_cast<const context *>(of_all);
            std::apply(own->kernel, own->arguments);
        },
        &context_of_all);
}

// For the host program. Under AddressSanitizer, no kernel may touch this many bytes at the beginning
// and at the end of what cudaMalloc returns.
extern std::size_t guard_bytes;
// Ends the program where the kernel is wrong: status 1 and a line that names the kernel's line.
extern void (*leave)(int status, const char *format, ...);
} // namespace emulation

// ---- the runtime ------------------------------------------------------------------------------
#define CUDA_ERRORS(error)                                                                         \
    error(cudaSuccess, 0, "no error") error(cudaErrorInvalidValue, 1, "invalid argument")          \
        error(cudaErrorMemoryAllocation, 2, "out of memory")                                       \
            error(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")              \
                error(cudaErrorInvalidDevice, 101, "invalid device ordinal")                       \
                    error(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") error(   \
                        cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")  \
                        error(cudaErrorLaunchFailure, 719, "unspecified launch failure")
#define EMULATION_NUMBER(name, number, text) name = number,
enum cudaError_t { CUDA_ERRORS(EMULATION_NUMBER) };

enum cudaMemcpyKind { // the bit 2: from the device, the bit 1: to the device
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

struct cudaDeviceProp {
    char name[256];
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int maxThreadsPerBlock, multiProcessorCount;
};

typedef double *cudaEvent_t;

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *memory, int byte, std::size_t bytes);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

template <class T> cudaError_t cudaMalloc(T **memory, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}

// ---- what is not emulated: an error that names it, never a wrong result -----------------------
#define EMULATION_TEXT(...) #__VA_ARGS__
#define EMULATION_PRAGMA(...) _Pragma(EMULATION_TEXT(__VA_ARGS__))
#define NEEDS_NVCC(name)                                                                           \
    EMULATION_PRAGMA(GCC error EMULATION_TEXT(name is not emulated and needs nvcc and a GPU))
// clang-format off
#define asm                         NEEDS_NVCC(asm)
#define __constant__                NEEDS_NVCC(__constant__)
#define __managed__                 NEEDS_NVCC(__managed__)
#define __syncwarp                  NEEDS_NVCC(__syncwarp)
#define __activemask                NEEDS_NVCC(__activemask)
#define __shfl_sync                 NEEDS_NVCC(__shfl_sync)
#define __shfl_up_sync              NEEDS_NVCC(__shfl_up_sync)
#define __shfl_down_sync            NEEDS_NVCC(__shfl_down_sync)
#define __shfl_xor_sync             NEEDS_NVCC(__shfl_xor_sync)
#define __ballot_sync               NEEDS_NVCC(__ballot_sync)
#define __any_sync                  NEEDS_NVCC(__any_sync)
#define __all_sync                  NEEDS_NVCC(__all_sync)
#define __reduce_add_sync           NEEDS_NVCC(__reduce_add_sync)
#define __syncthreads_count         NEEDS_NVCC(__syncthreads_count)
#define __syncthreads_and           NEEDS_NVCC(__syncthreads_and)
#define __syncthreads_or            NEEDS_NVCC(__syncthreads_or)
#define __threadfence               NEEDS_NVCC(__threadfence)
#define __threadfence_block         NEEDS_NVCC(__threadfence_block)
#define atomicAdd                   NEEDS_NVCC(atomicAdd)
#define atomicSub                   NEEDS_NVCC(atomicSub)
#define atomicMin                   NEEDS_NVCC(atomicMin)
#define atomicMax                   NEEDS_NVCC(atomicMax)
#define atomicExch                  NEEDS_NVCC(atomicExch)
#define atomicCAS                   NEEDS_NVCC(atomicCAS)
#define tex1Dfetch                  NEEDS_NVCC(tex1Dfetch)
#define tex2D                       NEEDS_NVCC(tex2D)
#define nvcuda                      NEEDS_NVCC(nvcuda)
#define cooperative_groups          NEEDS_NVCC(cooperative_groups)
#define __pipeline_memcpy_async     NEEDS_NVCC(__pipeline_memcpy_async)
#define cudaStream_t                NEEDS_NVCC(cudaStream_t)
#define cudaMallocManaged           NEEDS_NVCC(cudaMallocManaged)
#define cudaMallocHost              NEEDS_NVCC(cudaMallocHost)
#define cudaMallocAsync             NEEDS_NVCC(cudaMallocAsync)
#define cudaMallocPitch             NEEDS_NVCC(cudaMallocPitch)
#define cudaMemcpyAsync             NEEDS_NVCC(cudaMemcpyAsync)
#define cudaMemcpy2D                NEEDS_NVCC(cudaMemcpy2D)
#define cudaMemcpyToSymbol          NEEDS_NVCC(cudaMemcpyToSymbol)
#define cudaMemcpyFromSymbol        NEEDS_NVCC(cudaMemcpyFromSymbol)
#define cudaFuncSetAttribute        NEEDS_NVCC(cudaFuncSetAttribute)
#define cudaLaunchKernel            NEEDS_NVCC(cudaLaunchKernel)
#define cudaLaunchCooperativeKernel NEEDS_NVCC(cudaLaunchCooperativeKernel)
// clang-format on
#endif
