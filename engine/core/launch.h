// SPDX-License-Identifier: MIT
// What `rewrite` makes of launches, and of declarations that C++ does not have.
#ifndef LAUNCH_H
#define LAUNCH_H

#include "../cuda/include/driver_types.h"
#include "../cuda/include/vector_types.h"
#include "place.h"

#include <type_traits>

namespace emulation
{
// ---- __shared__ -------------------------------------------------------------------------------
void *shared_memory(const void *declaration, std::size_t bytes, std::size_t alignment);
void *dynamic_memory();

// An address in shared memory, as PTX has it: the number of a byte.
std::size_t shared_address(const void *pointer, place at);
void *shared_pointer(std::size_t address, place at);

// The shared variables of one declaration: struct { real tile[8][8]; }. One per block.
template <class T> T &__static_shared()
{
    static_assert(std::is_trivially_default_constructible<T>::value,
                  "a __shared__ variable cannot have an initial value");
    static_assert(alignof(T) <= 1024, "shared memory is aligned to 1024 bytes at most here");
    static char declaration; // its address tells this declaration from the others
    return *static_cast<T *>(shared_memory(&declaration, sizeof(T), alignof(T)));
}

struct __dynamic_shared {
    template <class T> operator T *() const
    {
        return static_cast<T *>(dynamic_memory());
    }
};

// ---- __device__ and __constant__ variables ----------------------------------------------------
// Device memory that is there from the beginning. It is the host program's only by
// cudaMemcpyToSymbol, unless it is __managed__.
struct __device_variable {
    template <class T> explicit __device_variable(const T &variable, bool is_managed = false)
    {
        add(&variable, sizeof variable, is_managed);
    }
    static void add(const volatile void *start, std::size_t bytes, bool is_managed);
};

// ---- launches ---------------------------------------------------------------------------------
// Gives a launch's configuration and arguments to what it is given. No std::tuple: of the time to
// compile, its header takes 6 % of a kernel's, and with its templates 23 % of a launch's.
template <class Give> struct launch_arguments {
    Give give;
    explicit launch_arguments(Give g) : give(g)
    {
    }
};

struct __launch_configuration {
    dim3 grid, block;
    std::size_t shared;
    cudaStream_t stream;
    place at; // of the launch
    __launch_configuration(dim3 g, dim3 b, std::size_t s = 0, cudaStream_t q = nullptr,
                           place p = place::here())
        : grid(g), block(b), shared(s), stream(q), at(p)
    {
    }
    // kernel<<<grid, block>>>(a, b) becomes __launched(...) ->* __launch_configuration(grid,
    // block)(a, b). A call binds more tightly than ->*, so that the __launch_configuration gets the
    // arguments first.
    template <class... A> auto operator()(A... arguments) const
    {
        return launch_arguments([*this, arguments...](auto use) { use(*this, arguments...); });
    }
};

// What a launch names: how to call it, and how to get its address. A template whose types are
// deduced from the arguments has none.
template <class Call, class Get> struct __launched {
    const char *name;
    Call call;
    Get get;
    __launched(const char *n, Call c, Get g) : name(n), call(c), get(g)
    {
    }
};

struct get_address {
    template <class... P> const void *operator()(void (*function)(P...)) const
    {
        return reinterpret_cast<const void *>(function);
    }
};

// Ends the program if a kernel is given memory that is not the device's.
void check_pointer(const void *pointer, int argument, place at);
void check_struct(const void *start, std::size_t bytes, int argument, place at);

template <class T> void check_argument(const T &argument, int number, place at)
{
    if constexpr (std::is_class<T>::value) {
        T plain = argument;
#if defined __has_builtin
#if __has_builtin(__builtin_clear_padding)
        __builtin_clear_padding(&plain); // what lies between members may look like an address
#endif
#endif
        check_struct(&plain, sizeof plain, number, at);
    } else if constexpr (std::is_pointer<T>::value &&
                         !std::is_function<std::remove_pointer_t<T>>::value)
        check_pointer(const_cast<const void *>(static_cast<const volatile void *>(argument)),
                      number, at);
}

// What every thread of a launch does. No std::function: its header takes as long to compile as a
// whole kernel.
struct work {
    virtual void run() const = 0;
    virtual ~work() = default;
};
template <class Call> struct work_of final : work {
    Call call;
    explicit work_of(const Call &c) : call(c)
    {
    }
    void run() const override
    {
        call();
    }
};

// Does this once for every thread of the grid, a stream does it later; then deletes it.
void launch(const __launch_configuration &where, const char *name, const void *kernel,
            const work *thread);

template <class Call, class Get, class Give>
void operator->*(const __launched<Call, Get> &k, const launch_arguments<Give> &c)
{
    const void *address = nullptr;
    if constexpr (std::is_invocable<Get, get_address>::value)
        address = k.get(get_address());
    c.give([&](const __launch_configuration &where, const auto &...arguments) {
        int number = 0;
        (check_argument(arguments, ++number, where.at), ...);
        (void)number;
        auto thread = [call = k.call, arguments...] { call(arguments...); };
        launch(where, k.name, address, new work_of<decltype(thread)>(thread));
    });
}

template <class Call, class Get>
void operator->*(const __launched<Call, Get> &, const __launch_configuration &)
{
    static_assert(sizeof(Call) == 0, "the kernel's arguments follow >>> in parentheses");
}

// Ends the kernel: there is no such thing here.
void refuse(place at, const char *what);

// __launch_bounds__: the first statement of the kernel.
void __within_bounds(place at, unsigned threads, unsigned blocks = 0, unsigned cluster = 0);

// ---- for the host program ---------------------------------------------------------------------
// Under AddressSanitizer, no kernel may touch this many bytes at the beginning and at the end of
// what cudaMalloc returns.
extern std::size_t guard_bytes;
// Where a kernel touched memory that is not there, which is cudaErrorIllegalAddress.
extern const void *volatile lost_at;
// How many devices there are: 1, or what the program says before it asks.
extern int devices;
// Ends the program where the kernel is wrong: status 1 and a line that names the kernel's line.
extern void (*exit_with)(int status, const char *format, ...);
} // namespace emulation
#endif
