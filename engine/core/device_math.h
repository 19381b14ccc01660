// SPDX-License-Identifier: MIT
// The functions of a kernel that C++ does not have, or has otherwise. Those of <cmath> are there,
// too.
#ifndef DEVICE_MATH_H
#define DEVICE_MATH_H

#include <cmath>
#include <cstdint>
#include <math.h> // isfinite and the others by their names alone, for float, too
#include <type_traits>

namespace emulation
{
// Ends the kernel: it reads or writes at an address that is no multiple of what its type wants.
[[noreturn]] void misaligned(place at, std::size_t alignment);

// What min and max of two types give: CUDA has them for two integers of one size and for two
// floats; of int and long, or int and float, it cannot tell which one is meant.
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

// What says how it is cached is a load, or a store.
#define EMULATION_LOAD(name)                                                                       \
    template <class T> T name(const T *p, emulation::place at = emulation::place::here())          \
    {                                                                                              \
        return __ldg(p, at);                                                                       \
    }
EMULATION_LOAD(__ldca)
EMULATION_LOAD(__ldcg)
EMULATION_LOAD(__ldcs)
EMULATION_LOAD(__ldcv)
EMULATION_LOAD(__ldlu)
#undef EMULATION_LOAD

#define EMULATION_STORE(name)                                                                      \
    template <class T, class V>                                                                    \
    void name(T *p, V value, emulation::place at = emulation::place::here())                       \
    {                                                                                              \
        __ldg(p, at);                                                                              \
        *p = value;                                                                                \
    }
EMULATION_STORE(__stcg)
EMULATION_STORE(__stcs)
EMULATION_STORE(__stwb)
EMULATION_STORE(__stwt)
#undef EMULATION_STORE

// ---- what a compiler may take for granted ------------------------------------------------------
#ifndef __clang__ // which has it
inline void __builtin_assume(bool)
{
}
#endif

// ---- rounded as the name says, to the nearest --------------------------------------------------
#define EMULATION_FUNCTION(type, name, parameters, value)                                          \
    inline type name parameters                                                                    \
    {                                                                                              \
        return value;                                                                              \
    }
EMULATION_FUNCTION(float, __fadd_rn, (float a, float b), a + b)
EMULATION_FUNCTION(float, __fsub_rn, (float a, float b), a - b)
EMULATION_FUNCTION(float, __fmul_rn, (float a, float b), a *b)
EMULATION_FUNCTION(float, __fdiv_rn, (float a, float b), a / b)
EMULATION_FUNCTION(float, __fmaf_rn, (float a, float b, float c), std::fma(a, b, c))
EMULATION_FUNCTION(float, __frcp_rn, (float x), 1 / x)
EMULATION_FUNCTION(float, __fsqrt_rn, (float x), std::sqrt(x))
EMULATION_FUNCTION(double, __dadd_rn, (double a, double b), a + b)
EMULATION_FUNCTION(double, __dsub_rn, (double a, double b), a - b)
EMULATION_FUNCTION(double, __dmul_rn, (double a, double b), a *b)
EMULATION_FUNCTION(double, __ddiv_rn, (double a, double b), a / b)
EMULATION_FUNCTION(double, __fma_rn, (double a, double b, double c), std::fma(a, b, c))
EMULATION_FUNCTION(double, __drcp_rn, (double x), 1 / x)
EMULATION_FUNCTION(double, __dsqrt_rn, (double x), std::sqrt(x))

// ---- fast ones, which are as exact here as the others ------------------------------------------
EMULATION_FUNCTION(float, __expf, (float x), std::exp(x))
EMULATION_FUNCTION(float, __exp10f, (float x), std::pow(10.0f, x))
EMULATION_FUNCTION(float, __logf, (float x), std::log(x))
EMULATION_FUNCTION(float, __log2f, (float x), std::log2(x))
EMULATION_FUNCTION(float, __log10f, (float x), std::log10(x))
EMULATION_FUNCTION(float, __powf, (float x, float y), std::pow(x, y))
EMULATION_FUNCTION(float, __sinf, (float x), std::sin(x))
EMULATION_FUNCTION(float, __cosf, (float x), std::cos(x))
EMULATION_FUNCTION(float, __tanf, (float x), std::tan(x))
EMULATION_FUNCTION(float, __fdividef, (float a, float b), a / b)
EMULATION_FUNCTION(float, fdividef, (float a, float b), a / b)
EMULATION_FUNCTION(float, __saturatef, (float x), std::fmin(std::fmax(x, 0.0f), 1.0f))
EMULATION_FUNCTION(float, __frsqrt_rn, (float x), 1 / std::sqrt(x))
EMULATION_FUNCTION(float, rsqrtf, (float x), 1 / std::sqrt(x))
EMULATION_FUNCTION(double, rsqrt, (double x), 1 / std::sqrt(x))
EMULATION_FUNCTION(float, rcbrtf, (float x), 1 / std::cbrt(x))
EMULATION_FUNCTION(float, normcdff, (float x), float(std::erfc(-x *M_SQRT1_2) / 2))
EMULATION_FUNCTION(double, normcdf, (double x), std::erfc(-x *M_SQRT1_2) / 2)
EMULATION_FUNCTION(float, sinpif, (float x), float(std::sin(double(x) * M_PI)))
EMULATION_FUNCTION(float, cospif, (float x), float(std::cos(double(x) * M_PI)))

inline void __sincosf(float x, float *sine, float *cosine)
{
    *sine = std::sin(x);
    *cosine = std::cos(x);
}

// ---- whole numbers -----------------------------------------------------------------------------
EMULATION_FUNCTION(int, __mul24, (int a, int b), int(unsigned(a << 8 >> 8) * unsigned(b << 8 >> 8)))
EMULATION_FUNCTION(unsigned, __umul24, (unsigned a, unsigned b), (a & 0xFFFFFF) * (b & 0xFFFFFF))
EMULATION_FUNCTION(int, __mulhi, (int a, int b), int((long long)a *b >> 32))
EMULATION_FUNCTION(unsigned, __umulhi, (unsigned a, unsigned b), unsigned(1ull * a * b >> 32))
EMULATION_FUNCTION(unsigned long long, __umul64hi, (unsigned long long a, unsigned long long b),
                   (unsigned long long)((unsigned __int128)(a)*b >> 64))
EMULATION_FUNCTION(int, __popc, (unsigned bits), __builtin_popcount(bits))
EMULATION_FUNCTION(int, __popcll, (unsigned long long bits), __builtin_popcountll(bits))
EMULATION_FUNCTION(int, __ffs, (int bits), __builtin_ffs(bits))
EMULATION_FUNCTION(int, __ffsll, (long long bits), __builtin_ffsll(bits))
EMULATION_FUNCTION(int, __clz, (int bits), bits == 0 ? 32 : __builtin_clz(unsigned(bits)))
EMULATION_FUNCTION(int, __clzll, (long long bits),
                   bits == 0 ? 64 : __builtin_clzll((unsigned long long)(bits)))
EMULATION_FUNCTION(unsigned, umin, (unsigned a, unsigned b), b < a ? b : a)
EMULATION_FUNCTION(unsigned, umax, (unsigned a, unsigned b), a < b ? b : a)
EMULATION_FUNCTION(unsigned, __sad, (int a, int b, unsigned c), c + unsigned(a < b ? b - a : a - b))
EMULATION_FUNCTION(unsigned, __usad, (unsigned a, unsigned b, unsigned c),
                   c + (a < b ? b - a : a - b))
EMULATION_FUNCTION(int, __dp4a, (int a, int b, int c),
                   c + (signed char)(a) * (signed char)(b) +
                       (signed char)(a >> 8) * (signed char)(b >> 8) +
                       (signed char)(a >> 16) * (signed char)(b >> 16) + (a >> 24) * (b >> 24))

inline unsigned __brev(unsigned bits)
{
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++)
        reversed |= (bits >> i & 1) << (31 - i);
    return reversed;
}

inline unsigned long long __brevll(unsigned long long bits)
{
    return (unsigned long long)(__brev(unsigned(bits))) << 32 | __brev(unsigned(bits >> 32));
}

inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const unsigned long long bytes = (unsigned long long)(high) << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= unsigned(bytes >> (selector >> (4 * i) & 7) * 8 & 0xFF) << (8 * i);
    return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return shift % 32 == 0 ? high : high << shift % 32 | low >> (32 - shift % 32);
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return shift % 32 == 0 ? low : low >> shift % 32 | high << (32 - shift % 32);
}

// ---- the same bits as another type -------------------------------------------------------------
namespace emulation
{
template <class To, class From> To same_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace emulation
EMULATION_FUNCTION(int, __float_as_int, (float x), emulation::same_bits<int>(x))
EMULATION_FUNCTION(unsigned, __float_as_uint, (float x), emulation::same_bits<unsigned>(x))
EMULATION_FUNCTION(float, __int_as_float, (int x), emulation::same_bits<float>(x))
EMULATION_FUNCTION(float, __uint_as_float, (unsigned x), emulation::same_bits<float>(x))
EMULATION_FUNCTION(long long, __double_as_longlong, (double x), emulation::same_bits<long long>(x))
EMULATION_FUNCTION(double, __longlong_as_double, (long long x), emulation::same_bits<double>(x))

// ---- conversions: _rn to the nearest, _rz towards 0, _rd down, _ru up --------------------------
EMULATION_FUNCTION(int, __float2int_rn, (float x), int(std::rint(x)))
EMULATION_FUNCTION(int, __float2int_rz, (float x), int(x))
EMULATION_FUNCTION(int, __float2int_rd, (float x), int(std::floor(x)))
EMULATION_FUNCTION(int, __float2int_ru, (float x), int(std::ceil(x)))
EMULATION_FUNCTION(unsigned, __float2uint_rn, (float x), unsigned(std::rint(x)))
EMULATION_FUNCTION(unsigned, __float2uint_rz, (float x), unsigned(x))
EMULATION_FUNCTION(unsigned, __float2uint_rd, (float x), unsigned(std::floor(x)))
EMULATION_FUNCTION(unsigned, __float2uint_ru, (float x), unsigned(std::ceil(x)))
EMULATION_FUNCTION(int, __double2int_rn, (double x), int(std::rint(x)))
EMULATION_FUNCTION(int, __double2int_rz, (double x), int(x))
EMULATION_FUNCTION(float, __double2float_rn, (double x), float(x))
EMULATION_FUNCTION(float, __int2float_rn, (int x), float(x))
EMULATION_FUNCTION(float, __uint2float_rn, (unsigned x), float(x))
EMULATION_FUNCTION(double, __int2double_rn, (int x), double(x))
#undef EMULATION_FUNCTION

inline float __uint2float_rd(unsigned x)
{
    const float nearest = float(x);
    return double(nearest) > double(x) ? std::nextafter(nearest, 0.0f) : nearest;
}

[[noreturn]] inline void __trap()
{
    __builtin_trap();
}
#endif
