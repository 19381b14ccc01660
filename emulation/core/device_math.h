// SPDX-License-Identifier: MIT
// The functions of a kernel that C++ does not have, or has otherwise. Those of <cmath> are there, too.
#ifndef DEVICE_MATH_H
#define DEVICE_MATH_H

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace emulation
{
// Ends the kernel: it reads or writes at an address that is no multiple of what its type wants.
[[noreturn]] void misaligned(place at, std::size_t alignment);

// What min and max of two types give: CUDA has them for two integers of one size and for two floats;
// of int and long, or int and float, it cannot tell which one is meant.
template <class A, class B> constexpr bool is_ambiguous()
{
    typedef decltype(+A()) a;
    typedef decltype(+B()) b;
    if constexpr (std::is_integral<a>::value && std::is_integral<b>::value)
        return !std::is_same<std::make_unsigned_t<a>, std::make_unsigned_t<b>>::value;
    return std::is_integral<a>::value != std::is_integral<b>::value;
}

template <class A, class B> struct common {
    static_assert(!is_ambiguous<A, B>(),
                  "min and max of these two types are ambiguous in CUDA, too: convert one of them");
    typedef decltype(A() + B()) type;
};
} // namespace emulation

template <class A, class B> typename emulation::common<A, B>::type min(A a, B b)
{
    typename emulation::common<A, B>::type x = a, y = b;
    if constexpr (std::is_floating_point<decltype(x)>::value)
        return std::fmin(x, y);
    else
        return y < x ? y : x;
}

template <class A, class B> typename emulation::common<A, B>::type max(A a, B b)
{
    typename emulation::common<A, B>::type x = a, y = b;
    if constexpr (std::is_floating_point<decltype(x)>::value)
        return std::fmax(x, y);
    else
        return x < y ? y : x;
}

template <class T> T __ldg(const T *p, emulation::place at = emulation::place::here())
{
    if (reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0)
        emulation::misaligned(at, alignof(T));
    return *p;
}

inline float __fmaf_rn(float a, float b, float c)
{
    return std::fma(a, b, c);
}

inline double __fma_rn(double a, double b, double c)
{
    return std::fma(a, b, c);
}

inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}

inline int __clz(int bits)
{
    return bits == 0 ? 32 : __builtin_clz(unsigned(bits));
}
#endif
