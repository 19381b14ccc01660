// SPDX-License-Identifier: MIT
// What an OpenCL kernel calls on the engine: its IDs, barriers, copies of its work-group, and where
// the work-group's __local arrays are. The names are clang's, or those that prelude.cl declares.
#include "../core/counting.h"
#include "../core/sanitizers.h"
#include "opencl.h"

#include <algorithm>
#include <cstring>

using namespace emulation;

ndrange launched;

// ---- work-items -------------------------------------------------------------------------------
template <class T> static unsigned of(const T &v, unsigned d)
{
    return d == 0 ? v.x : d == 1 ? v.y : v.z;
}

unsigned get_work_dim()
{
    return launched.dimensions;
}

size_t get_local_id(unsigned d)
{
    return d < 3 ? of(self->running->index, d) : 0;
}

size_t get_group_id(unsigned d)
{
    return d < 3 ? of(self->running->home->index, d) : 0;
}

size_t get_local_size(unsigned d)
{
    return d < 3 ? of(now.where.block, d) : 1;
}

size_t get_num_groups(unsigned d)
{
    return d < 3 ? of(now.where.grid, d) : 1;
}

size_t get_global_size(unsigned d)
{
    return get_local_size(d) * get_num_groups(d);
}

size_t get_global_offset(unsigned d)
{
    return d < 3 ? launched.offset[d] : 0;
}

size_t get_global_id(unsigned d)
{
    return get_global_offset(d) + get_group_id(d) * get_local_size(d) + get_local_id(d);
}

// ---- work-groups ------------------------------------------------------------------------------
struct local_array { // clang's descriptor of a thread-local variable, which a __local array is here
    size_t bytes, alignment;
    void *unused, *initial;
};

extern "C" void *__emutls_get_address(local_array *array)
{
    return shared_memory(array, array->bytes, array->alignment);
}

// A barrier without CLK_LOCAL_MEM_FENCE does not order what work-items do to local memory: where
// there is any, ThreadSanitizer must see a race.
extern "C" void emulated_barrier(const char *file, int line, int number, unsigned fences)
{
    enum { LOCAL = 1, GLOBAL = 2 };
    const bool has_local = self->running->home->shared_arrays() > 0;
    __barrier({file, line}, number, false, fences & LOCAL || (fences & GLOBAL && !has_local));
}

extern "C" void emulated_fence(unsigned)
{
    fence();
}

// A private variable that the kernel does not set.
extern "C" void emulated_forget(size_t address, size_t bytes)
{
    forget(reinterpret_cast<void *>(address), bytes);
}

extern "C" void emulated_before_atomic(size_t address)
{
    before_atomic(reinterpret_cast<void *>(address));
}

extern "C" void emulated_after_atomic(size_t address)
{
    after_atomic(reinterpret_cast<void *>(address));
}

// ---- async_work_group_copy --------------------------------------------------------------------
// A device may copy at any time from the call to the wait for it. Here the destination is
// overwritten with NaN at the call, and the data comes at the wait, so a missing wait is seen.

// Calls `what` with each piece that is this work-item's: an element, or 16 contiguous bytes, which
// AddressSanitizer can protect.
template <class Do> static void for_each_piece(const group_copy &c, Do what)
{
    const dim3 size = now.where.block;
    const size_t items = size_t(size.x) * size.y * size.z, own = self->running->number;
    const bool contiguous = c.to_stride == 1 && c.from_stride == 1;
    const size_t each = asan && contiguous && c.bytes < 16 ? 16 / c.bytes : 1;
    for (size_t i = own * each; i < c.count; i += items * each)
        what(c.to + i * c.to_stride * c.bytes, c.from + i * c.from_stride * c.bytes,
             std::min(each, c.count - i) * c.bytes);
}

// To the sanitizers, the line of the call accesses the memory.
static void access(const group_copy &c, void *to, const void *from, size_t bytes)
{
    if (tsan) {
        __tsan_func_entry(c.call);
        __tsan_read_range(from, bytes);
        __tsan_write_range(to, bytes);
        __tsan_func_exit();
    }
    if (asan) {
        __asan_loadN(from, bytes);
        __asan_storeN(to, bytes);
    }
}

extern "C" void *emulated_copy(size_t to, size_t from, size_t count, size_t bytes, size_t to_stride,
                               size_t from_stride, void *event, const char *file, int line)
{
    thread *t = self->running;
    const size_t own = ++t->group_copies_begun;
    const group_copy c = {reinterpret_cast<char *>(to),
                          reinterpret_cast<const char *>(from),
                          count,
                          bytes,
                          to_stride,
                          from_stride,
                          {file, line},
                          __builtin_return_address(0),
                          event != nullptr ? reinterpret_cast<size_t>(event) : own};
    if (!t->home->gives_alike(own, c)) {
        fail("%s:%d: asynchronous copy: the work-items of a group give it different arguments, or "
             "another copy comes between",
             file, line);
        fiber::suspend();
    }
    for_each_piece(c, [&](char *target, const char *source, size_t size) {
        access(c, target, source, size);
        if (count_access != nullptr) {
            count_access(source, size, false, c.at);
            count_access(target, size, true, c.at);
        }
        forget(target, size);
        forbid(target, size);
    });
    t->group_copies.push_back(c);
    return reinterpret_cast<void *>(c.event);
}

static void complete(const group_copy &c)
{
    for_each_piece(c, [&](char *target, const char *source, size_t size) {
        allow(target, size);
        access(c, target, source, size);
        memcpy(target, source, size);
    });
}

extern "C" void emulated_wait(int count, size_t list, const char *file, int line, int number)
{
    const size_t *events = reinterpret_cast<const size_t *>(list);
    std::vector<group_copy> &copies = self->running->group_copies;
    const auto others = std::stable_partition(copies.begin(), copies.end(), [&](const auto &c) {
        return std::find(events, events + count, c.event) == events + count;
    });
    std::for_each(others, copies.end(), complete);
    copies.erase(others, copies.end());
    __barrier({file, line}, number, false);
}

// ---- ThreadSanitizer --------------------------------------------------------------------------
// clang calls these since version 16, and gcc 12's library does not have them.
#define WEAK extern "C" __attribute__((weak))
WEAK void *__tsan_memset(void *to, int byte, size_t bytes)
{
    return memset(to, byte, bytes);
}

WEAK void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    return memcpy(to, from, bytes);
}

WEAK void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    return memmove(to, from, bytes);
}
