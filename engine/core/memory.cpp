// SPDX-License-Identifier: MIT
// Device memory: what there is, what is copied, what a launch may be given.
#include "counting.h"
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using namespace emulation;

size_t emulation::guard_bytes;

// ---- what there is ----------------------------------------------------------------------------
struct allocation {
    size_t bytes, guard; // no kernel may touch the guards at both ends
    enum { DEVICE, VARIABLE, MANAGED, HOST, FOREIGN } kind; // FOREIGN: the host program's own
    int device;
    char *pages; // from here on it has pages of its own: what is around it must stay as it is
};

// By the first byte. Made by the first variable, which may come before all else in this file; never
// destroyed, so that nothing of it seems leaked.
static auto &allocated()
{
    static auto &all = *new std::map<char *, allocation>;
    return all;
}
static size_t allocated_bytes;

// Does the host program see it as it is?
static bool is_host_visible(const allocation &a)
{
    return a.kind == allocation::MANAGED || a.kind == allocation::HOST ||
           a.kind == allocation::FOREIGN;
}

// Every other float of it, and every double, is a signalling NaN, which can be trapped. With
// ThreadSanitizer they are huge, of both signs: a comparison, or fmaxf, drops a NaN.
const word emulation::unwritten[2] = {tsan ? 0x7F25A5A5u : 0x7FA5A5A5u,
                                      tsan ? 0xFF25A5A5u : 0x7FF5A5A5u};

void emulation::forget(void *start, size_t bytes)
{
    char *first = static_cast<char *>(start);
    for (size_t i = 0; i < bytes; i += sizeof unwritten)
        memcpy(first + i, unwritten, std::min(bytes - i, sizeof unwritten));
}

void emulation::set_guard(void *start, size_t bytes)
{
    allocated()[static_cast<char *>(start)].guard = bytes;
}

void emulation::allow_device_memory(bool to_kernels)
{
    if (!asan)
        return;
    for (auto &[start, a] : allocated()) {
        if (is_host_visible(a))
            continue;
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

static bool is_for_device(const void *start, size_t bytes)
{
    return find(start, bytes) != allocated().end();
}

static bool is_for_host(const void *start)
{
    auto a = find(start, 1);
    return a == allocated().end() || is_host_visible(a->second);
}

bool emulation::is_device_memory(const void *address)
{
    return is_for_device(address, 1);
}

// ---- allocations ------------------------------------------------------------------------------
// Without a sanitizer an allocation ends, but for its alignment, where its pages end, and the next
// page is nobody's:
//     [ unused | bytes | unused ] nothing
enum { PAGE_BYTES = 4096, ALIGNMENT = 256, UNUSED = 0xA7 };

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static void *take_pages(size_t bytes, char **pages)
{
    const size_t inside = round_up(bytes, ALIGNMENT), all = round_up(inside, PAGE_BYTES);
    void *memory = mmap(nullptr, all + PAGE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
    *pages = static_cast<char *>(memory);
    mprotect(*pages + all, PAGE_BYTES, PROT_NONE);
    memset(*pages, UNUSED, all - inside);
    memset(*pages + all - inside + bytes, UNUSED, inside - bytes);
    return *pages + all - inside;
}

static void give_back(char *start, const allocation &a)
{
    if (a.pages != nullptr) {
        munmap(a.pages, round_up(round_up(a.bytes, ALIGNMENT), PAGE_BYTES) + PAGE_BYTES);
    } else {
        allow(start, a.bytes);
        free(start);
    }
    allocated_bytes -= a.bytes;
}

static cudaError_t allocate(void **memory, size_t bytes, decltype(allocation::kind) kind)
{
    char *pages = nullptr;
    void *start = nullptr;
    *memory = nullptr;
    if (bytes == 0)
        return result(cudaSuccess);
    if (bytes > all_memory() - allocated_bytes)
        return result(cudaErrorMemoryAllocation);
    if (!asan && !tsan)
        start = take_pages(bytes, &pages);
    else if (posix_memalign(&start, ALIGNMENT, bytes) != 0)
        start = nullptr;
    if (start == nullptr)
        return result(cudaErrorMemoryAllocation);
    forget(start, bytes);
    const allocation a = {bytes, bytes > 2 * guard_bytes ? guard_bytes : 0, kind, current_device,
                          pages};
    if (!is_host_visible(a))
        forbid(start, bytes);
    allocated()[static_cast<char *>(start)] = a;
    allocated_bytes += bytes;
    *memory = start;
    return result(cudaSuccess);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return allocate(memory, bytes, allocation::DEVICE);
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned)
{
    return allocate(memory, bytes, allocation::MANAGED);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return allocate(memory, bytes, allocation::HOST);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    return cudaMallocHost(memory, bytes);
}

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height)
{
    *pitch = round_up(width, 512);
    return cudaMalloc(memory, *pitch * height);
}

static cudaError_t free_memory(void *memory, bool of_host)
{
    auto a = find(memory, 0);
    if (memory == nullptr)
        return result(cudaSuccess);
    for (int device = 0; device < devices; device++) // a stream may still use it
        finish_device(device, true);
    if (a == allocated().end() || a->first != memory ||
        (of_host ? a->second.kind != allocation::HOST
                 : a->second.kind != allocation::DEVICE && a->second.kind != allocation::MANAGED))
        return result(cudaErrorInvalidValue);
    give_back(a->first, a->second);
    allocated().erase(a);
    return result(cudaSuccess);
}

cudaError_t cudaFree(void *memory)
{
    return free_memory(memory, false);
}

cudaError_t cudaFreeHost(void *memory)
{
    return free_memory(memory, true);
}

// In the order of the stream, but there is no memory that waits for it.
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t)
{
    return cudaMalloc(memory, bytes);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t)
{
    return cudaFree(memory);
}

// Memory of the host's that kernels use as it is.
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    allocated()[static_cast<char *>(memory)] = {bytes, 0, allocation::FOREIGN, current_device,
                                                nullptr};
    return result(cudaSuccess);
}

cudaError_t cudaHostUnregister(void *memory)
{
    return result(allocated().erase(static_cast<char *>(memory)) > 0 ? cudaSuccess
                                                                     : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
    *device = host;
    return result(is_for_device(host, 1) && is_for_host(host) ? cudaSuccess
                                                              : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    *total = all_memory();
    *unused = *total - allocated_bytes;
    return result(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    auto a = find(pointer, 0);
    void *p = const_cast<void *>(pointer);
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, p};
    if (a == allocated().end())
        return result(cudaSuccess);
    attributes->type = a->second.kind == allocation::MANAGED ? cudaMemoryTypeManaged
                       : is_host_visible(a->second)          ? cudaMemoryTypeHost
                                                             : cudaMemoryTypeDevice;
    attributes->device = a->second.device;
    attributes->devicePointer = p;
    attributes->hostPointer = is_host_visible(a->second) ? p : nullptr;
    return result(cudaSuccess);
}

// All that was allocated is gone.
cudaError_t cudaDeviceReset()
{
    finish_device(current_device, true);
    for (auto a = allocated().begin(); a != allocated().end();)
        if (a->second.device == current_device && a->second.kind == allocation::DEVICE) {
            give_back(a->first, a->second);
            a = allocated().erase(a);
        } else {
            ++a;
        }
    lost = last_error = cudaSuccess;
    return cudaSuccess;
}

// ---- what kernels write where nothing is ------------------------------------------------------
static size_t changed(const char *start, const char *end)
{
    return size_t(std::count_if(start, end, [](char byte) { return byte != char(UNUSED); }));
}

// Beside an allocation, up to the end of its pages.
bool emulation::find_stray_write(size_t *bytes, const char **side, size_t *of)
{
    for (auto &[start, a] : allocated()) {
        if (a.pages == nullptr)
            continue;
        const char *end = start + a.bytes, *last = start + round_up(a.bytes, ALIGNMENT);
        const size_t before = changed(a.pages, start), behind = changed(end, last);
        *bytes = before + behind;
        *side = behind > 0 ? "past the end" : "before the beginning";
        *of = a.bytes;
        if (*bytes > 0)
            return true;
    }
    return false;
}

// Is this an address, or that of an element, whose number is what nobody wrote?
static bool is_of_unwritten(const void *address)
{
    const size_t nan = unwritten[0], near = 1 << 16;
    const size_t number = size_t(address);
    bool found = (number & 0xFFFFFFFF) == nan || number >> 32 == nan;
    for (auto &[start, a] : allocated())
        for (size_t bytes = 1; bytes <= 16 && !found; bytes *= 2)
            found = (number - size_t(start)) / bytes - nan + near < 2 * near;
    return found;
}

// ", 4 bytes past the end of 1024 of cudaMalloc's"; or nothing.
void emulation::describe_address(const void *address, char *text, size_t size)
{
    const char *p = static_cast<const char *>(address);
    snprintf(text, size, "%s",
             is_of_unwritten(address) ? ", made of a number that nobody wrote (0x7fa5a5a5)" : "");
    for (auto &[start, a] : allocated())
        if (a.pages != nullptr && p >= start + a.bytes && p < start + a.bytes + 2 * PAGE_BYTES)
            snprintf(text, size, ", %zu bytes past the end of %zu bytes %s",
                     size_t(p - start) - a.bytes, a.bytes, spoken.allocated);
}

// ---- copies -----------------------------------------------------------------------------------
static void move(void *to, const void *from, size_t bytes)
{
    if (is_for_device(to, bytes))
        allow(to, bytes);
    if (is_for_device(from, bytes))
        allow(from, bytes);
    memmove(to, from, bytes);
    allow_device_memory(false);
}

// Does the direction say what the addresses say? Managed and pinned memory is both.
static bool can_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const bool to_device = kind & 1, from_device = kind & 2;
    if (kind == cudaMemcpyDefault)
        return true;
    return (to_device ? is_for_device(to, bytes) : is_for_host(to)) &&
           (from_device ? is_for_device(from, bytes) : is_for_host(from));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    if (!can_copy(to, from, bytes, kind))
        return result(cudaErrorInvalidValue);
    // Memory of the host that is not pinned: what is there now is copied, and what comes there is
    // there when this returns.
    if (!is_for_device(from, bytes) && stream != nullptr) {
        const char *first = static_cast<const char *>(from);
        auto staged = std::make_shared<std::vector<char>>(first, first + bytes);
        return put(stream, [=] { move(to, staged->data(), bytes); });
    }
    put(stream, [=] { move(to, from, bytes); });
    if (is_for_device(to, bytes))
        return result(cudaSuccess);
    const cudaError_t error = cudaStreamSynchronize(stream);
    if (count_result != nullptr)
        count_result();
    return error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

static bool is_memory_of(int device, const void *start, size_t bytes)
{
    auto a = find(start, bytes);
    return a != allocated().end() && a->second.kind == allocation::DEVICE &&
           a->second.device == device;
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
    if (!is_for_device(memory, bytes))
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

// ---- rows of a pitch --------------------------------------------------------------------------
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch)
        return result(cudaErrorInvalidPitchValue);
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++)
        error = cudaMemcpyAsync(static_cast<char *>(to) + row * to_pitch,
                                static_cast<const char *>(from) + row * from_pitch, width, kind,
                                stream);
    return error;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int byte, size_t width, size_t height)
{
    cudaError_t error = width > pitch ? result(cudaErrorInvalidPitchValue) : cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++)
        error = cudaMemset(static_cast<char *>(memory) + row * pitch, byte, width);
    return error;
}

// ---- __device__ and __constant__ variables ----------------------------------------------------
void __device_variable::add(const volatile void *start, size_t bytes, bool is_managed)
{
    allocated()[static_cast<char *>(const_cast<void *>(start))] = {
        bytes, 0, is_managed ? allocation::FOREIGN : allocation::VARIABLE, 0, nullptr};
    if (!is_managed)
        forbid(const_cast<const void *>(start), bytes);
}

cudaError_t emulation::find_symbol(const volatile void *symbol, size_t size, size_t offset,
                                   size_t bytes, char **found)
{
    auto a = find(symbol, size);
    if (a == allocated().end() ||
        (a->second.kind != allocation::VARIABLE && a->second.kind != allocation::FOREIGN))
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
        exit_with(
            1,
            "%s:%d: argument %d of this launch points to memory that cudaMalloc did not give, or "
            "that has been freed: a kernel cannot use it (cudaErrorIllegalAddress)",
            at.file, at.line, argument);
    if (count_argument != nullptr)
        count_argument(pointer, a->first, a->second.bytes, argument);
    const int owner = a->second.device;
    if ((a->second.kind == allocation::DEVICE || a->second.kind == allocation::MANAGED) &&
        !may_use_memory_of(owner))
        exit_with(
            1,
            "%s:%d: argument %d of this launch on device %d points to memory of device %d: copy "
            "it, or call cudaDeviceEnablePeerAccess (cudaErrorIllegalAddress)",
            at.file, at.line, argument, current_device, owner);
}

// Its members have no names here. One that is the address of host memory is taken for a pointer;
// but two small numbers side by side are none: below this the sanitizers keep their books, and no
// program has its memory.
void emulation::check_struct(const void *start, size_t bytes, int argument, place at)
{
    const uintptr_t page_bytes = uintptr_t(sysconf(_SC_PAGESIZE)), lowest = uintptr_t(1) << 46;
    for (size_t i = 0; i + sizeof(void *) <= bytes; i += sizeof(void *)) {
        void *word;
        memcpy(&word, static_cast<const char *>(start) + i, sizeof word);
        void *page = reinterpret_cast<void *>(uintptr_t(word) & ~(page_bytes - 1));
        if (uintptr_t(word) >= lowest &&
            msync(page, 1, MS_ASYNC) == 0) // fails where there is no memory
            check_pointer(word, argument, at);
    }
}
