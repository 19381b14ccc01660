// SPDX-License-Identifier: MIT
// CUDA C on a CPU: what the labs use of CUDA, and what students may, for g++ and clang++. See README.md.
// `rewrite` turns <<<...>>>, __shared__ and so on into C++; launch.cpp and block.cpp run the threads.
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H
#define CUDA_EMULATED 1

#include <cstddef>
#include <cstdio> // as nvcc does, for printf

#include "../core/place.h"
#include "vector_types.h"
#include "../core/device_math.h"
#include "../core/atomics.h"
#include "../core/warp.h"
#include "../core/launch.h"

// ---- the language -----------------------------------------------------------------------------
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

namespace emulation
{
// The answers stay the same while a thread lives, hence const: the compiler may ask once.
__attribute__((const)) uint3 thread_index();
__attribute__((const)) uint3 block_index();
__attribute__((const)) dim3 block_size();
__attribute__((const)) dim3 grid_size();
int barrier(place at, int number, bool vote); // how many of the block's threads vote for it
} // namespace emulation
#define threadIdx (emulation::thread_index())
#define blockIdx (emulation::block_index())
#define blockDim (emulation::block_size())
#define gridDim (emulation::grid_size())

// Each barrier of the source has a number; several may stand in one line.
#define __syncthreads_count(vote)                                                                  \
    (emulation::barrier({__FILE__, __LINE__}, __COUNTER__, (vote) != 0))
#define __syncthreads_or(vote) (__syncthreads_count(vote) != 0)
#define __syncthreads_and(vote) (__syncthreads_count((vote) == 0) == 0)
#define __syncthreads() (void(__syncthreads_count(0)))

// ---- the runtime ------------------------------------------------------------------------------
enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorIllegalAddress = 700,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorAssert = 710,
    cudaErrorLaunchFailure = 719,
};

enum cudaMemcpyKind { // the bit 2: from the device, the bit 1: to the device
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
};

struct cudaDeviceProp {
    char name[256];
    std::size_t sharedMemPerBlock, sharedMemPerBlockOptin; // without and with cudaFuncSetAttribute
    int major, minor;                                      // compute capability
};

typedef struct emulated_event *cudaEvent_t;
enum { cudaStreamDefault, cudaStreamNonBlocking };
enum { cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming };

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
enum { cudaHostRegisterMapped = 2 };
cudaError_t cudaHostRegister(void *memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           std::size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                std::size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *memory, int byte, std::size_t bytes);
cudaError_t cudaMemsetAsync(void *memory, int byte, std::size_t bytes,
                            cudaStream_t stream = nullptr);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

template <class T> cudaError_t cudaMalloc(T **memory, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}

namespace emulation
{
// Part of a __device__ or __constant__ variable; an error where it is another, or has fewer bytes.
cudaError_t find_symbol(const volatile void *symbol, std::size_t size, std::size_t offset,
                        std::size_t bytes, char **found);
cudaError_t allow_dynamic(const void *kernel, int bytes);
} // namespace emulation

template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    char *to = nullptr;
    cudaError_t error = emulation::find_symbol(&symbol, sizeof symbol, offset, bytes, &to);
    return error != cudaSuccess ? error : cudaMemcpy(to, from, bytes, kind);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    char *from = nullptr;
    cudaError_t error = emulation::find_symbol(&symbol, sizeof symbol, offset, bytes, &from);
    return error != cudaSuccess ? error : cudaMemcpy(to, from, bytes, kind);
}

template <class T> cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return emulation::find_symbol(&symbol, sizeof symbol, 0, 0, reinterpret_cast<char **>(address));
}

// The one attribute there is: how much dynamic shared memory this kernel may be given.
template <class T> cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute, int bytes)
{
    return emulation::allow_dynamic(reinterpret_cast<const void *>(kernel), bytes);
}

// ---- what is not emulated ---------------------------------------------------------------------
// A name that is not in this file is a compile error. PTX would reach the assembler of the CPU.
#define asm _Pragma("GCC error \"asm is not emulated: it needs nvcc and a GPU\"")
#endif
