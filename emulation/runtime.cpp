// SPDX-License-Identifier: MIT
// The calls of the CUDA runtime: device memory, errors, the device, events.
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace emulation;

cudaError_t emulation::last_error;
std::atomic<cudaError_t> emulation::lost;
size_t emulation::guard_bytes;

// ---- errors -----------------------------------------------------------------------------------
static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (auto &e : errors)
        if (e.error == error)
            return e.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (auto &e : errors)
        if (e.error == error)
            return e.text;
    return "unrecognized error code";
}

cudaError_t cudaGetLastError()
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    return last_error;
}

// What a call returns.
static cudaError_t result(cudaError_t error)
{
    if (error == cudaSuccess)
        error = lost;
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

// ---- the device -------------------------------------------------------------------------------
cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return result(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    snprintf(properties->name, sizeof properties->name, "CUDA emulated on the CPU");
    properties->sharedMemPerBlock = STATIC_SHARED_BYTES;
    properties->sharedMemPerBlockOptin = MAX_SHARED_BYTES;
    properties->major = 8; // of which wmma and asynchronous copies are, and what came later is not
    properties->minor = 0;
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize()
{
    return result(cudaSuccess); // a launch returns when its last thread has
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaDeviceSynchronize();
}

// ---- shared memory for kernels that ask for more ----------------------------------------------
// Of each kernel, by its address.
static auto &dynamic_bytes = *new std::map<const void *, size_t>;

size_t emulation::dynamic_limit(const void *kernel)
{
    size_t most = STATIC_SHARED_BYTES;
    for (auto [address, bytes] : dynamic_bytes)
        if (address == kernel || kernel == nullptr) // a template whose address nobody knows
            most = std::max(most, bytes);
    return most;
}

cudaError_t emulation::allow_dynamic(const void *kernel, int bytes)
{
    if (bytes < 0 || bytes > MAX_SHARED_BYTES)
        return result(cudaErrorInvalidValue);
    dynamic_bytes[kernel] = size_t(bytes);
    return result(cudaSuccess);
}

// ---- device memory ----------------------------------------------------------------------------
struct allocation {
    size_t bytes, guard; // no kernel may touch the guards at both ends
    bool is_variable;    // __device__ or __constant__
};

// By the first byte. Made by the first variable, which may come before all else in this file; never
// destroyed, so that nothing of it seems leaked.
static auto &allocated()
{
    static auto &all = *new std::map<char *, allocation>;
    return all;
}
static size_t allocated_bytes;

// Every other float of it, and every double, is a signalling NaN, which can be trapped.
void emulation::fill_with_nan(void *start, size_t bytes)
{
    static const unsigned char nan[8] = {0xA5, 0xA5, 0xA5, 0x7F, 0xA5, 0xA5, 0xF5, 0x7F};
    for (size_t i = 0; i < bytes; i++)
        static_cast<unsigned char *>(start)[i] = nan[i % 8];
}

void emulation::allow_device_memory(bool to_kernels)
{
    for (auto [start, a] : allocated()) {
        forbid(start, a.bytes);
        if (to_kernels)
            allow(start + a.guard, a.bytes - 2 * a.guard);
    }
}

// The allocation that these bytes are part of; its end is, too, if there are no bytes.
static std::map<char *, allocation>::iterator find(const volatile void *start, size_t bytes)
{
    char *first = static_cast<char *>(const_cast<void *>(start));
    auto a = allocated().upper_bound(first);
    if (a == allocated().begin())
        return allocated().end();
    --a;
    const size_t offset = size_t(first - a->first);
    return offset <= a->second.bytes && bytes <= a->second.bytes - offset ? a : allocated().end();
}

static bool is_device_memory(const void *start, size_t bytes)
{
    return find(start, bytes) != allocated().end();
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    const size_t there_is = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
    void *start = nullptr;
    if (bytes > there_is - allocated_bytes || posix_memalign(&start, 256, bytes) != 0)
        return result(cudaErrorMemoryAllocation);
    *memory = start;
    fill_with_nan(start, bytes);
    forbid(start, bytes);
    allocated()[static_cast<char *>(start)] = {bytes, bytes > 2 * guard_bytes ? guard_bytes : 0,
                                               false};
    allocated_bytes += bytes;
    return result(cudaSuccess);
}

cudaError_t cudaFree(void *memory)
{
    auto a = find(memory, 0);
    if (memory == nullptr)
        return result(cudaSuccess);
    if (a == allocated().end() || a->first != memory || a->second.is_variable)
        return result(cudaErrorInvalidValue);
    allow(memory, a->second.bytes);
    free(memory);
    allocated_bytes -= a->second.bytes;
    allocated().erase(a);
    return result(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const bool to_device = is_device_memory(to, bytes), from_device = is_device_memory(from, bytes);
    if (kind != 2 * from_device + to_device)
        return result(cudaErrorInvalidValue);
    if (to_device)
        allow(to, bytes);
    if (from_device)
        allow(from, bytes);
    memmove(to, from, bytes);
    allow_device_memory(false);
    return result(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *memory, int byte, size_t bytes)
{
    if (!is_device_memory(memory, bytes))
        return result(cudaErrorInvalidValue);
    allow(memory, bytes);
    memset(memory, byte, bytes);
    allow_device_memory(false);
    return result(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t)
{
    return cudaMemset(memory, byte, bytes);
}

// ---- __device__ and __constant__ variables ----------------------------------------------------
void device_variable::add(const volatile void *start, size_t bytes)
{
    allocated()[static_cast<char *>(const_cast<void *>(start))] = {bytes, 0, true};
    forbid(const_cast<const void *>(start), bytes);
}

cudaError_t emulation::find_symbol(const volatile void *symbol, size_t size, size_t offset,
                                   size_t bytes, char **found)
{
    auto a = find(symbol, size);
    if (a == allocated().end() || !a->second.is_variable)
        return result(cudaErrorInvalidSymbol);
    if (offset > size || bytes > size - offset)
        return result(cudaErrorInvalidValue);
    *found = static_cast<char *>(const_cast<void *>(symbol)) + offset;
    return result(cudaSuccess);
}

// ---- arguments of a launch --------------------------------------------------------------------
void emulation::check_pointer(const void *pointer, int argument, place at)
{
    if (pointer != nullptr && !is_device_memory(pointer, 0))
        leave(1,
              "%s:%d: argument %d of this launch points to memory that cudaMalloc did not give, or "
              "that has been freed: a kernel cannot use it (cudaErrorIllegalAddress)",
              at.file, at.line, argument);
}

// Its members have no names here. One that is the address of host memory is taken for a pointer.
void emulation::check_struct(const void *start, size_t bytes, int argument, place at)
{
    const uintptr_t page_bytes = uintptr_t(sysconf(_SC_PAGESIZE));
    for (size_t i = 0; i + sizeof(void *) <= bytes; i += sizeof(void *)) {
        void *word;
        memcpy(&word, static_cast<const char *>(start) + i, sizeof word);
        void *page = reinterpret_cast<void *>(uintptr_t(word) & ~(page_bytes - 1));
        if (page != nullptr && msync(page, 1, MS_ASYNC) == 0) // fails where there is no memory
            check_pointer(word, argument, at);
    }
}

// ---- events -----------------------------------------------------------------------------------
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new double(0);
    return result(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return result(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    *event = std::chrono::duration<double, std::milli>(since).count();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return result(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    *ms = float(*stop - *start);
    return result(cudaSuccess);
}
