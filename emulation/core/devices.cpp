// SPDX-License-Identifier: MIT
// What all the others stand on: how a program ends, random numbers, errors, and which devices there are.
#include "emulation.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

using namespace emulation;

static void print_and_exit(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

void (*emulation::leave)(int status, const char *format, ...) = print_and_exit;

uint64_t emulation::next_random(uint64_t *state) // splitmix64, public domain
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

cudaError_t emulation::last_error;
std::atomic<cudaError_t> emulation::lost;
const void *volatile emulation::lost_at;
int emulation::devices = 1, emulation::current_device;

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
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
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
cudaError_t emulation::result(cudaError_t error)
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
    *count = devices;
    return cudaSuccess;
}

bool emulation::is_device(int device)
{
    return device >= 0 && device < devices;
}

cudaError_t cudaSetDevice(int device)
{
    if (!is_device(device))
        return result(cudaErrorInvalidDevice);
    current_device = device;
    return result(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return result(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    snprintf(properties->name, sizeof properties->name, "CUDA emulated on the CPU");
    properties->sharedMemPerBlock = STATIC_SHARED_BYTES;
    properties->sharedMemPerBlockOptin = MAX_SHARED_BYTES;
    properties->major = 8; // of which wmma and asynchronous copies are, and what came later is not
    properties->minor = 0;
    return result(is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

// Who may use whose memory: (device, peer).
static auto &peers = *new std::set<std::pair<int, int>>;

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer;
    return result(is_device(device) && is_device(peer) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned)
{
    if (!is_device(peer) || peer == current_device)
        return result(cudaErrorInvalidDevice);
    return result(peers.emplace(current_device, peer).second ? cudaSuccess
                                                             : cudaErrorPeerAccessAlreadyEnabled);
}

bool emulation::may_use_memory_of(int device)
{
    return device == current_device || peers.count({current_device, device}) > 0;
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
