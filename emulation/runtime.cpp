// SPDX-License-Identifier: MIT
// The calls of the CUDA runtime: device memory, errors, the device, events.
#include "emulation.h"
#include "sanitizers.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
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
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
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

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    snprintf(properties->name, sizeof properties->name, "CUDA emulated on the CPU");
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize()
{
    return result(cudaSuccess); // a launch returns when its last thread has
}

// ---- device memory ----------------------------------------------------------------------------
// From the first byte to the number of bytes. Never destroyed, so that nothing of it seems leaked.
static auto &allocated = *new std::map<char *, size_t>;
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
    for (auto [start, bytes] : allocated) {
        const size_t guard = bytes > 2 * guard_bytes ? guard_bytes : 0;
        forbid(start, bytes);
        if (to_kernels)
            allow(start + guard, bytes - 2 * guard);
    }
}

// The allocation that these bytes are part of, or end().
static std::map<char *, size_t>::iterator find(const void *start, size_t bytes)
{
    char *first = static_cast<char *>(const_cast<void *>(start));
    auto a = allocated.upper_bound(first);
    if (a == allocated.begin())
        return allocated.end();
    --a;
    const size_t offset = size_t(first - a->first);
    return offset <= a->second && bytes <= a->second - offset ? a : allocated.end();
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
    allocated[static_cast<char *>(start)] = bytes;
    allocated_bytes += bytes;
    return result(cudaSuccess);
}

cudaError_t cudaFree(void *memory)
{
    auto a = find(memory, 0);
    if (memory == nullptr)
        return result(cudaSuccess);
    if (a == allocated.end() || a->first != memory)
        return result(cudaErrorInvalidValue);
    allow(memory, a->second);
    free(memory);
    allocated_bytes -= a->second;
    allocated.erase(a);
    return result(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const bool to_device = find(to, bytes) != allocated.end();
    const bool from_device = find(from, bytes) != allocated.end();
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

cudaError_t cudaEventRecord(cudaEvent_t event)
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
