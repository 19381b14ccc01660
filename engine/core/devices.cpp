// SPDX-License-Identifier: MIT
// What all the others stand on: how a program ends, random numbers, errors, and which devices there
// are.
#include "emulation.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

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

void (*emulation::exit_with)(int status, const char *format, ...) = print_and_exit;

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
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "driver shutting down"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled",
     "peer access has not been enabled"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
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

// ---- devices -------------------------------------------------------------------------------
size_t emulation::all_memory()
{
    return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
}

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
    cudaDeviceProp p = {};
    snprintf(p.name, sizeof p.name, "CUDA emulated on the CPU");
    p.totalGlobalMem = all_memory();
    p.totalConstMem = 64 * 1024;
    p.memPitch = 0x7FFFFFFF;
    p.textureAlignment = p.surfaceAlignment = 512;
    p.sharedMemPerBlock = spoken.shared_bytes;
    p.sharedMemPerBlockOptin = MAX_SHARED_BYTES;
    p.sharedMemPerMultiprocessor = MAX_SHARED_BYTES + 1024;
    p.reservedSharedMemPerBlock = 1024;
    p.major = 8; // of which wmma and asynchronous copies are, and what came later is not
    p.minor = 0;
    p.warpSize = WARP;
    p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = int(spoken.threads);
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7FFFFFFF;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.multiProcessorCount = int(std::max(1u, std::thread::hardware_concurrency()));
    p.maxThreadsPerMultiProcessor = 2 * int(spoken.threads);
    p.maxBlocksPerMultiProcessor = 32;
    p.regsPerBlock = p.regsPerMultiprocessor = 64 * 1024;
    p.l2CacheSize = 40 << 20;
    p.deviceOverlap = p.asyncEngineCount = p.concurrentKernels = p.streamPrioritiesSupported = 1;
    p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.singleToDoublePrecisionPerfRatio = 2;
    *properties = p;
    return result(is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    const cudaError_t error = cudaGetDeviceProperties(&p, device);
    const struct {
        cudaDeviceAttr attribute;
        int value;
    } all[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, int(p.sharedMemPerBlock)},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, int(p.sharedMemPerBlockOptin)},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, int(p.sharedMemPerMultiprocessor)},
        {cudaDevAttrTotalConstantMemory, int(p.totalConstMem)},
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxPitch, int(p.memPitch)},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrTextureAlignment, int(p.textureAlignment)},
        {cudaDevAttrGpuOverlap, p.deviceOverlap},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
    };
    *value = 0; // what it has not, and what nobody knows
    for (auto &a : all)
        if (a.attribute == attribute)
            *value = a.value;
    return error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 12040;
    return result(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

// A thread has 64 KiB of stack, and malloc() is the host's.
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t)
{
    return result(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit)
{
    *value = 64 * 1024;
    return result(cudaSuccess);
}

// Who may use whose memory: (device, peer).
static auto &peers = *new std::set<std::pair<int, int>>;

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer;
    return result(is_device(device) && is_device(peer) ? cudaSuccess : cudaErrorInvalidDevice);
}

// All do the same to each other, atomics too; the fastest have rank 0.
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device, int peer)
{
    const cudaError_t error = cudaDeviceCanAccessPeer(value, device, peer);
    if (attribute == cudaDevP2PAttrPerformanceRank ||
        attribute == cudaDevP2PAttrCudaArrayAccessSupported)
        *value = 0;
    return error;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned)
{
    if (!is_device(peer) || peer == current_device)
        return result(cudaErrorInvalidDevice);
    return result(peers.emplace(current_device, peer).second ? cudaSuccess
                                                             : cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return result(peers.erase({current_device, peer}) > 0 ? cudaSuccess
                                                          : cudaErrorPeerAccessNotEnabled);
}

bool emulation::may_use_memory_of(int device)
{
    return device == current_device || peers.count({current_device, device}) > 0;
}

// ---- kernels ----------------------------------------------------------------------------------
// How much dynamic shared memory they may be given, by their addresses.
static auto &dynamic_bytes = *new std::map<const void *, size_t>;

size_t emulation::dynamic_limit(const void *kernel)
{
    size_t most = spoken.shared_bytes;
    for (auto [address, bytes] : dynamic_bytes)
        if (address == kernel || kernel == nullptr) // a template whose address nobody knows
            most = std::max(most, bytes);
    return most;
}

cudaError_t emulation::set_attribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return result(cudaSuccess);
    if (value < 0 || value > MAX_SHARED_BYTES)
        return result(cudaErrorInvalidValue);
    dynamic_bytes[kernel] = size_t(value);
    return result(cudaSuccess);
}

cudaError_t emulation::get_attributes(cudaFuncAttributes *attributes, const void *kernel)
{
    *attributes = {};
    attributes->maxThreadsPerBlock = int(spoken.threads);
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 80;
    attributes->maxDynamicSharedSizeBytes = int(dynamic_limit(kernel));
    return result(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads,
                                                          size_t shared)
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, current_device);
    const size_t for_shared = p.sharedMemPerMultiprocessor / (shared + p.reservedSharedMemPerBlock);
    const int warps = (std::max(threads, 1) + WARP - 1) / WARP;
    *blocks = std::min({p.maxThreadsPerMultiProcessor / (warps * WARP),
                        p.maxBlocksPerMultiProcessor, int(for_shared)});
    return result(threads > 0 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, const void *kernel,
                                               size_t shared, int limit)
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, current_device);
    *threads = limit > 0 ? std::min<int>(limit, int(spoken.threads)) : int(spoken.threads);
    const cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, *threads, shared);
    *blocks *= p.multiProcessorCount;
    return error;
}
