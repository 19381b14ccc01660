// SPDX-License-Identifier: MIT
// Counts what a kernel accesses on the engine. Compiled with -fsanitize=thread, it calls a
// function before each access to memory that may be shared; these here are linked in place of
// ThreadSanitizer's.
#include "steps.h"

#include "../core/counting.h"
#include "../core/emulation.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <set>

namespace emulation
{
static bool is_over; // what is launched later looks at a wrong result again
static thread_local bool is_paused;
static std::mutex guard;
static std::set<std::string> places; // of what has one; their addresses stay

struct argument {
    const char *pointer, *end; // into its memory, and of it
    int number;
};
static std::map<const char *, argument> arguments; // of the launch, by where their memory begins

// 0: it is in none of them.
static std::uint64_t number_of_argument(const void *address)
{
    auto a = arguments.upper_bound(static_cast<const char *>(address));
    if (a == arguments.begin() || address >= (--a)->second.end)
        return 0;
    return std::uint64_t(a->second.number);
}

static void count(const void *address, std::size_t bytes, bool writes, const void *from,
                  std::uint64_t source = profile::NO_COPY)
{
    const thread *t = self->running;
    const block *b = t->home;
    profile::access what = {from, profile::GLOBAL, 0, writes, unsigned(bytes)};
    std::uint64_t at = reinterpret_cast<std::uintptr_t>(address);
    if (b->is_shared(address, bytes)) {
        what.where = profile::SHARED;
        at = b->shared_address(address);
        what.array = b->shared_array(address);
    } else {
        what.array = number_of_argument(address);
        if (what.array == 0 &&
            !is_device_memory(address)) // how the arguments themselves come to the kernel
            return;
    }
    profile::count(b, t->number, what, at, source);
}

static void record_arrays(const block *b)
{
    for (const auto &[start, a] : arguments)
        profile::record_array(profile::GLOBAL, std::uint64_t(a.number),
                              reinterpret_cast<std::uintptr_t>(a.pointer));
    for (unsigned n = 0; n <= b->shared_arrays(); n++)
        profile::record_array(profile::SHARED, n, b->shared_start(n));
}

void count_phase(const block *b)
{
    if (is_over)
        return;
    const dim3 grid = now.where.grid, size = now.where.block;
    profile::end_phase(
        b, {now.name, {grid.x, grid.y, grid.z}, {size.x, size.y, size.z}, now.where.shared},
        b->index.x + grid.x * (b->index.y + grid.y * b->index.z));
    if (profile::records_steps)
        record_arrays(b);
}

void count_argument(const void *pointer, const void *start, std::size_t bytes, int number)
{
    const char *first = static_cast<const char *>(start);
    if (!is_over)
        arguments[first] = {static_cast<const char *>(pointer), first + bytes, number};
}

static const void *kept(place at)
{
    std::lock_guard<std::mutex> lock(guard);
    return places.insert(std::string(at.file) + ":" + std::to_string(at.line)).first->c_str();
}

void count_access(const void *memory, std::size_t bytes, bool writes, place at)
{
    if (!is_over)
        count(memory, bytes, writes, kept(at));
}

void count_copy(const void *to, const void *from, std::size_t bytes, std::size_t zeros, place at)
{
    if (is_over)
        return;
    const void *here = kept(at);
    if (zeros < bytes)
        count(from, bytes - zeros, false, here);
    count(to, bytes, true, here, zeros < bytes ? reinterpret_cast<std::uintptr_t>(from) : 0);
}

void count_pause(bool paused)
{
    is_paused = paused;
}

// "kernel.cu:66" of a copy or an ldmatrix; of an instruction its address in the program, for
// addr2line: "0x12ab".
static std::string line_of(const void *instruction)
{
    for (const std::string &place : places)
        if (place.c_str() == instruction)
            return place;
    char text[32];
    std::snprintf(text, sizeof text, "%#zx",
                  std::size_t(reinterpret_cast<std::uintptr_t>(instruction) - program_start() - 1));
    return text;
}

static std::string number(profile::space, std::uint64_t array)
{
    return std::to_string(array);
}

void count_result()
{
    if (!is_over && !arguments.empty())
        profile::write({line_of, number});
    is_over = is_over || !arguments.empty();
}
} // namespace emulation

// ---- what the compiler calls ------------------------------------------------------------------
static void access(const void *address, std::size_t bytes, bool writes, const void *from)
{
    using namespace emulation;
    if (fiber::inside() && !is_paused && !is_over && !fiber::owns(address))
        count(address, bytes, writes, from);
}

// Whose type promises less than its size: a GPU cannot load it by one instruction.
static void unaligned(const char *address, std::size_t bytes, bool writes, const void *from)
{
    for (std::size_t i = 0; i < bytes; i += bytes < 4 ? bytes : 4)
        access(address + i, bytes < 4 ? bytes : 4, writes, from);
}

// Of a structure: by 16 bytes where it may be aligned to them. One of 16 bytes that comes here is
// not.
static void range(const char *address, std::size_t bytes, bool writes, const void *from)
{
    const bool aligned = bytes > 16 && reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
    for (std::size_t i = 0, one; i < bytes; i += one) {
        one = aligned && bytes - i >= 16 ? 16 : bytes - i >= 4 ? 4 : 1;
        access(address + i, one, writes, from);
    }
}
#include "callbacks.h"

// Compiled with -fsanitize-coverage=trace-pc,trace-cmp, a kernel calls the one where instructions
// without a branch begin, the others before a comparison.
template <void what(const void *, unsigned, const void *)> static void branch(const void *from)
{
    using namespace emulation;
    if (fiber::inside() && !is_paused && !is_over)
        what(self->running->home, self->running->number, from);
}

extern "C" void __sanitizer_cov_trace_pc()
{
    branch<profile::go>(__builtin_return_address(0));
    branch<profile::turn>(__builtin_return_address(0));
}

#define COMPARISON(name, type)                                                                     \
    extern "C" void __sanitizer_cov_trace_##name(type, type)                                       \
    {                                                                                              \
        branch<profile::turn>(__builtin_return_address(0));                                        \
    }
#define COMPARISONS(bytes, type)                                                                   \
    COMPARISON(cmp##bytes, type)                                                                   \
    COMPARISON(const_cmp##bytes, type)
COMPARISONS(1, std::uint8_t)
COMPARISONS(2, std::uint16_t)
COMPARISONS(4, std::uint32_t)
COMPARISONS(8, std::uint64_t)
COMPARISON(cmpf, float)
COMPARISON(cmpd, double)
extern "C" void __sanitizer_cov_trace_switch(std::uint64_t, std::uint64_t *)
{
    branch<profile::turn>(__builtin_return_address(0));
}

extern "C" void __tsan_vptr_read(void *)
{
}
extern "C" void __tsan_vptr_update(void *, void *)
{
}

// An atomic is one access, a store.
#define ATOMIC(bits, type)                                                                         \
    extern "C" type __tsan_atomic##bits##_load(const volatile void *a, int)                        \
    {                                                                                              \
        return __atomic_load_n(static_cast<const volatile type *>(a), __ATOMIC_SEQ_CST);           \
    }                                                                                              \
    extern "C" void __tsan_atomic##bits##_store(volatile void *a, type v, int)                     \
    {                                                                                              \
        access(const_cast<const void *>(a), sizeof v, true, __builtin_return_address(0));          \
        __atomic_store_n(static_cast<volatile type *>(a), v, __ATOMIC_SEQ_CST);                    \
    }                                                                                              \
    extern "C" int __tsan_atomic##bits##_compare_exchange_strong(volatile void *a, void *expected, \
                                                                 type v, int, int)                 \
    {                                                                                              \
        access(const_cast<const void *>(a), sizeof v, true, __builtin_return_address(0));          \
        return __atomic_compare_exchange_n(static_cast<volatile type *>(a),                        \
                                           static_cast<type *>(expected), v, false,                \
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
    }                                                                                              \
    extern "C" type __tsan_atomic##bits##_compare_exchange_val(volatile void *a, type expected,    \
                                                               type v, int, int)                   \
    {                                                                                              \
        access(const_cast<const void *>(a), sizeof v, true, __builtin_return_address(0));          \
        __atomic_compare_exchange_n(static_cast<volatile type *>(a), &expected, v, false,          \
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                           \
        return expected;                                                                           \
    }
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)
