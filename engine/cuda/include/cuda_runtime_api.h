// SPDX-License-Identifier: MIT
// The calls of a host program: devices, memory, streams, events.
#ifndef CUDA_RUNTIME_API_H
#define CUDA_RUNTIME_API_H

#include "../../core/launch.h"
#include "driver_types.h"

#include <cstddef>

// ---- errors and devices -----------------------------------------------------------------------
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceGetLimit(std::size_t *value, cudaLimit limit);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device,
                                      int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

// What only changes how fast a device is.
inline cudaError_t cudaSetDeviceFlags(unsigned)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte; // of all since 2014, whatever a program sets
    return cudaSuccess;
}
template <class T> cudaError_t cudaFuncSetCacheConfig(T *, cudaFuncCache)
{
    return cudaSuccess;
}
inline cudaError_t cudaProfilerStart()
{
    return cudaSuccess;
}
inline cudaError_t cudaProfilerStop()
{
    return cudaSuccess;
}

// ---- memory -----------------------------------------------------------------------------------
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaMallocManaged(void **memory, std::size_t bytes, unsigned flags = 1);
cudaError_t cudaMallocPitch(void **memory, std::size_t *pitch, std::size_t width,
                            std::size_t height);
cudaError_t cudaMallocAsync(void **memory, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaMallocHost(void **memory, std::size_t bytes);
cudaError_t cudaHostAlloc(void **memory, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaHostRegister(void *memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaMemGetInfo(std::size_t *unused, std::size_t *total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);

// Managed memory is where both find it.
inline cudaError_t cudaMemPrefetchAsync(const void *, std::size_t, int, cudaStream_t = nullptr)
{
    return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void *, std::size_t, cudaMemoryAdvise, int)
{
    return cudaSuccess;
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, std::size_t = 0, unsigned = 4)
{
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           std::size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                std::size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *memory, int byte, std::size_t bytes);
cudaError_t cudaMemsetAsync(void *memory, int byte, std::size_t bytes,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void *memory, std::size_t pitch, int byte, std::size_t width,
                         std::size_t height);

template <class T> cudaError_t cudaMalloc(T **memory, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <class T> cudaError_t cudaMallocManaged(T **memory, std::size_t bytes, unsigned flags = 1)
{
    return cudaMallocManaged(reinterpret_cast<void **>(memory), bytes, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T **memory, std::size_t *pitch, std::size_t width, std::size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void **>(memory), pitch, width, height);
}
template <class T> cudaError_t cudaMallocAsync(T **memory, std::size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <class T> cudaError_t cudaMallocHost(T **memory, std::size_t bytes, unsigned = 0)
{
    return cudaMallocHost(reinterpret_cast<void **>(memory), bytes);
}
template <class T> cudaError_t cudaHostAlloc(T **memory, std::size_t bytes, unsigned flags)
{
    return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(device), host, flags);
}

// ---- streams and events -----------------------------------------------------------------------
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                  unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

// ---- __device__ and __constant__ variables ----------------------------------------------------
namespace emulation
{
// Part of a __device__ or __constant__ variable; an error where it is another, or has fewer bytes.
cudaError_t find_symbol(const volatile void *symbol, std::size_t size, std::size_t offset,
                        std::size_t bytes, char **found);
cudaError_t set_attribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t get_attributes(cudaFuncAttributes *attributes, const void *kernel);
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

template <class T> cudaError_t cudaGetSymbolSize(std::size_t *bytes, const T &symbol)
{
    *bytes = sizeof symbol;
    return cudaSuccess;
}

// ---- kernels ----------------------------------------------------------------------------------
template <class T>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return emulation::set_attribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return emulation::get_attributes(attributes, reinterpret_cast<const void *>(kernel));
}

// As many blocks as there are threads and shared memory for: nobody knows here how many registers
// they need.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, std::size_t shared);
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads,
                                                          std::size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void *>(kernel), threads, shared);
}
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, const void *kernel,
                                               std::size_t shared = 0, int limit = 0);
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, T kernel,
                                               std::size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSize(
        blocks, threads, reinterpret_cast<const void *>(kernel), shared, limit);
}
#endif
