// SPDX-License-Identifier: MIT
// CUDA C on a CPU: what the labs use of CUDA, for g++ and clang++. See README.md. `rewrite` turns
// <<<...>>> and __shared__ into C++; launch.cpp and block.cpp run the threads.
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H
#define CUDA_EMULATED 1

#include <cmath>
#include <cstddef>
#include <cstdio> // as nvcc does, for printf
#include <functional>
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

template <class T> struct alignas(2 * sizeof(T)) vector2 {
    T x, y;
};
template <class T> struct alignas(16) vector4 {
    T x, y, z, w;
};
typedef vector2<float> float2;
typedef vector4<float> float4;
typedef vector2<double> double2;
typedef vector4<double> double4;
typedef vector2<int> int2;
typedef vector4<int> int4;

inline float2 make_float2(float x, float y)
{
    return {x, y};
}

inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

inline double2 make_double2(double x, double y)
{
    return {x, y};
}

inline double4 make_double4(double x, double y, double z, double w)
{
    return {x, y, z, w};
}

inline int2 make_int2(int x, int y)
{
    return {x, y};
}

inline int4 make_int4(int x, int y, int z, int w)
{
    return {x, y, z, w};
}

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
void barrier(const char *file, int line, int number);
} // namespace emulation
#define threadIdx (emulation::thread_index())
#define blockIdx (emulation::block_index())
#define blockDim (emulation::block_size())
#define gridDim (emulation::grid_size())

// Each barrier of the source has a number; several may stand in one line.
#define __syncthreads() (emulation::barrier(__FILE__, __LINE__, __COUNTER__))

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

// Runs `thread` once for every thread of the grid.
void launch(const configuration &where, const std::function<void()> &thread);

template <class... P, class... A> void operator->*(void (*kernel)(P...), const call<A...> &c)
{
    const std::tuple<P...> arguments = c.arguments; // of the types that the kernel declares
    launch(c.where, [&] { std::apply(kernel, arguments); });
}

// For the host program. Under AddressSanitizer, no kernel may touch this many bytes at the beginning
// and at the end of what cudaMalloc returns.
extern std::size_t guard_bytes;
// Ends the program where the kernel is wrong: status 1 and a line that names the kernel's line.
extern void (*leave)(int status, const char *format, ...);
} // namespace emulation

// ---- the runtime ------------------------------------------------------------------------------
enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
};

enum cudaMemcpyKind { // the bit 2: from the device, the bit 1: to the device
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
};

struct cudaDeviceProp {
    char name[256];
};

typedef double *cudaEvent_t;

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

template <class T> cudaError_t cudaMalloc(T **memory, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}

// ---- what is not emulated ---------------------------------------------------------------------
// A name that is not in this file is a compile error. PTX would reach the assembler of the CPU.
#define asm _Pragma("GCC error \"asm is not emulated: it needs nvcc and a GPU\"")
#endif
