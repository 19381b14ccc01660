// SPDX-License-Identifier: MIT
// Device memory: what there is, what is copied, what a launch may be given.
#include "emulation.h"
#include "sanitizers.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using namespace emulation;

size_t emulation::guard_bytes;

// ---- device memory ----------------------------------------------------------------------------
struct allocation {
    size_t bytes, guard; // no kernel may touch the guards at both ends
    bool is_variable;    // __device__ or __constant__, or the host's
    int device;
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
                                               false, current_device};
    allocated_bytes += bytes;
    return result(cudaSuccess);
}

cudaError_t cudaFree(void *memory)
{
    auto a = find(memory, 0);
    if (memory == nullptr)
        return result(cudaSuccess);
    for (int device = 0; device < devices; device++) // a stream may still use it
        finish_device(device, true);
    if (a == allocated().end() || a->first != memory || a->second.is_variable)
        return result(cudaErrorInvalidValue);
    allow(memory, a->second.bytes);
    free(memory);
    allocated_bytes -= a->second.bytes;
    allocated().erase(a);
    return result(cudaSuccess);
}

// Memory of the host's that kernels use as it is.
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    allocated()[static_cast<char *>(memory)] = {bytes, 0, true, current_device};
    return result(cudaSuccess);
}

cudaError_t cudaHostUnregister(void *memory)
{
    return result(allocated().erase(static_cast<char *>(memory)) > 0 ? cudaSuccess
                                                                     : cudaErrorInvalidValue);
}

static void move(void *to, const void *from, size_t bytes)
{
    const bool to_device = is_device_memory(to, bytes), from_device = is_device_memory(from, bytes);
    if (to_device)
        allow(to, bytes);
    if (from_device)
        allow(from, bytes);
    memmove(to, from, bytes);
    allow_device_memory(false);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    const bool to_device = is_device_memory(to, bytes), from_device = is_device_memory(from, bytes);
    if (kind != 2 * from_device + to_device)
        return result(cudaErrorInvalidValue);
    // Memory of the host that is not pinned, and there is no other here: what is there now is copied, and what
    // comes there is there when this returns.
    if (kind == cudaMemcpyHostToDevice && stream != nullptr) {
        const char *first = static_cast<const char *>(from);
        auto staged = std::make_shared<std::vector<char>>(first, first + bytes);
        return put(stream, [=] { move(to, staged->data(), bytes); });
    }
    put(stream, [=] { move(to, from, bytes); });
    return kind == cudaMemcpyDeviceToHost ? cudaStreamSynchronize(stream) : result(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

static bool is_memory_of(int device, const void *start, size_t bytes)
{
    auto a = find(start, bytes);
    return a != allocated().end() && !a->second.is_variable && a->second.device == device;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    if (!is_device(to_device) || !is_device(from_device))
        return result(cudaErrorInvalidDevice);
    if (!is_memory_of(to_device, to, bytes) || !is_memory_of(from_device, from, bytes))
        return result(cudaErrorInvalidValue);
    return put(stream, [=] { move(to, from, bytes); });
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t stream)
{
    if (!is_device_memory(memory, bytes))
        return result(cudaErrorInvalidValue);
    return put(stream, [=] {
        allow(memory, bytes);
        memset(memory, byte, bytes);
        allow_device_memory(false);
    });
}

cudaError_t cudaMemset(void *memory, int byte, size_t bytes)
{
    return cudaMemsetAsync(memory, byte, bytes, nullptr);
}

// ---- __device__ and __constant__ variables ----------------------------------------------------
void device_variable::add(const volatile void *start, size_t bytes)
{
    allocated()[static_cast<char *>(const_cast<void *>(start))] = {bytes, 0, true, 0};
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
    auto a = find(pointer, 0);
    if (pointer == nullptr)
        return;
    if (a == allocated().end())
        leave(1,
              "%s:%d: argument %d of this launch points to memory that cudaMalloc did not give, or "
              "that has been freed: a kernel cannot use it (cudaErrorIllegalAddress)",
              at.file, at.line, argument);
    const int owner = a->second.device;
    if (!a->second.is_variable && !may_use_memory_of(owner))
        leave(
            1,
            "%s:%d: argument %d of this launch on device %d points to memory of device %d: copy it, "
            "or call cudaDeviceEnablePeerAccess (cudaErrorIllegalAddress)",
            at.file, at.line, argument, current_device, owner);
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
