// SPDX-License-Identifier: MIT
// CUDA C on a CPU: what the labs use of CUDA, and what students may, for g++ and clang++. See
// README.md. `rewrite` turns <<<...>>>, __shared__ and so on into C++; launch.cpp and block.cpp run
// the threads.
#ifndef __CUDA_RUNTIME_H__ // by this name programs ask whether they have it
#define __CUDA_RUNTIME_H__
#define CUDA_EMULATED 1

// as nvcc does: programs use assert, rand, memset, clock, printf and {1, 2} without their headers
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "../../core/place.h"
#include "vector_types.h"
#include "../../core/device_math.h"
#include "../../core/atomics.h"
#include "../../core/warp.h"
#include "../../core/launch.h"

// ---- the language -----------------------------------------------------------------------------
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline // with always_inline, to pass its address on is an error
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#ifndef __CUDACC__
#define __CUDACC__
#endif

// What a macro of ours stands for, and what rewrite/ writes into a kernel, has a name that no
// program may take: #define block_size 16, in a kernel, would change it, too.
namespace emulation
{
// The answers stay the same while a thread lives, hence const: the compiler may ask once.
__attribute__((const)) uint3 __thread_index();
__attribute__((const)) uint3 __block_index();
__attribute__((const)) dim3 __block_size();
__attribute__((const)) dim3 __grid_size();
int __barrier(place at, int number, bool vote,
              bool orders = true); // how many of the block's threads vote for it
} // namespace emulation
#define threadIdx (emulation::__thread_index())
#define blockIdx (emulation::__block_index())
#define blockDim (emulation::__block_size())
#define gridDim (emulation::__grid_size())

// Each barrier of the source has a number; several may stand in one line.
#define __syncthreads_count(vote)                                                                  \
    (emulation::__barrier({__FILE__, __LINE__}, __COUNTER__, (vote) != 0))
#define __syncthreads_or(vote) (__syncthreads_count(vote) != 0)
#define __syncthreads_and(vote) (__syncthreads_count((vote) == 0) == 0)
#define __syncthreads() (void(__syncthreads_count(0)))

inline std::size_t __cvta_generic_to_shared(const void *pointer,
                                            emulation::place at = emulation::place::here())
{
    return emulation::shared_address(pointer, at);
}

inline void *__cvta_shared_to_generic(std::size_t address,
                                      emulation::place at = emulation::place::here())
{
    return emulation::shared_pointer(address, at);
}

// Nanoseconds. Who asks again and again, or sleeps, waits for something: other threads go on
// meanwhile.
long long clock64();
void __nanosleep(unsigned nanoseconds);

#include "cuda_runtime_api.h"
#endif
