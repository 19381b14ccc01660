// SPDX-License-Identifier: MIT
// Numbers of fewer bits than float: half (11 bits of significand), bfloat16 (8) and TF32 (11, of a
// float's range).
#ifndef NARROW_H
#define NARROW_H

#include "../core/atomics.h"
#include "../core/place.h"
#include "../core/warp.h"

#include <cmath>
#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>
#endif
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace emulation
{
inline std::uint32_t bits_of(float x)
{
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline float float_of(std::uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// A double as a float whose last bit says whether anything was cut off: what it is rounded to next,
// of fewer bits, is what the double would have been rounded to.
inline float to_odd_float(double x)
{
    const float nearest = float(x);
    const double error = double(nearest) - x;
    if (error == 0 || !std::isfinite(nearest))
        return nearest;
    const std::uint32_t bits = bits_of(nearest);
    return float_of(((error > 0) == (x > 0) ? bits - 1 : bits) | 1);
}

// Most CPUs have instructions for it. No kernel is compiled for one CPU alone: they are asked for
// when it runs.
#if defined __x86_64__ && defined __GNUC__
inline bool find_half_instructions()
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0 && (c & bit_OSXSAVE) != 0;
}
inline const bool has_half_instructions = find_half_instructions();
#endif

// The bits of the nearest half, of two the even one. A subnormal one is a multiple of 2^-24, as the
// last bit of 0.5 is; of a larger number the bits of a float, less those of the exponents that a
// half has not, are rounded.
inline std::uint16_t to_half(float x)
{
#if defined __x86_64__ && defined __GNUC__
    if (has_half_instructions) {
        float bits_in_it;
        unsigned bits_alone;
        __asm__("vcvtps2ph $0, %2, %1\n\tvmovd %1, %0"
                : "=r"(bits_alone), "=&x"(bits_in_it)
                : "x"(x));
        return std::uint16_t(x == x ? bits_alone : 0x7FFF);
    }
#endif
    const std::uint32_t bits = bits_of(x), size = bits & 0x7FFFFFFF;
    const std::uint32_t sign = bits >> 16 & 0x8000;
    if (size >= 0x47800000) // 65536
        return std::uint16_t(size > 0x7F800000 ? 0x7FFF : sign | 0x7C00);
    if (size < 0x38800000) // 2^-14
        return std::uint16_t(sign | (bits_of(float_of(size) + 0.5f) - 0x3F000000));
    return std::uint16_t(sign | (size - 0x38000000 + 0xFFF + (size >> 13 & 1)) >> 13);
}

// As a float the same bits have an exponent that is too small by 112.
inline float from_half(std::uint16_t half)
{
#if defined __x86_64__ && defined __GNUC__
    if (has_half_instructions) {
        float x;
        __asm__("vmovd %1, %0\n\tvcvtph2ps %0, %0" : "=x"(x) : "r"(unsigned(half)));
        return x;
    }
#endif
    const std::uint32_t size = std::uint32_t(half & 0x7FFF) << 13;
    const std::uint32_t sign = std::uint32_t(half & 0x8000) << 16;
    const std::uint32_t bits =
        size >= 0x0F800000 ? size | 0x7F800000 : bits_of(float_of(size) * 0x1p112f);
    return float_of(bits | sign);
}

// The bits of the nearest bfloat16, which are the upper ones of a float; of two the even one.
inline std::uint16_t to_bfloat16(float x)
{
    const std::uint32_t bits = bits_of(x);
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return 0x7FFF;
    return std::uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float from_bfloat16(std::uint16_t bits)
{
    return float_of(std::uint32_t(bits) << 16);
}

// The nearest TF32, of two the one further from 0. Only an instruction that says so rounds: a
// tensor core leaves the lower bits of a float out. No arithmetic, so that memory that nobody wrote
// stays known as such: a kernel may round what it loads ahead, past the end, and never multiplies.
inline float to_tf32(float x)
{
    const std::uint32_t bits = bits_of(x), exponent = 0x7F800000;
    return (bits & exponent) == exponent ? x : float_of((bits + 0x1000) & ~0x1FFFu);
}

inline float cut_to_tf32(float x)
{
    return std::isfinite(x) ? float_of(bits_of(x) & ~0x1FFFu) : x;
}

// A number that is stored in 16 bits. Each operation rounds, as it does on a device: a float has
// more than twice as many bits, so that to round to a float first changes nothing.
template <std::uint16_t (*To)(float), float (*From)(std::uint16_t)> struct narrow {
    std::uint16_t bits;
    narrow() = default;
    narrow(float x) : bits(To(x))
    {
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    narrow(T x) : bits(To(to_odd_float(double(x))))
    {
    }
    operator float() const
    {
        return From(bits);
    }
    narrow operator-() const
    {
        return from_bits(bits ^ 0x8000);
    }
    narrow operator+() const
    {
        return *this;
    }
    static narrow from_bits(unsigned bits)
    {
        narrow x;
        x.bits = std::uint16_t(bits);
        return x;
    }
};

// Two of them in four bytes.
template <class T> struct alignas(4) narrow_pair {
    T x, y;
    narrow_pair() = default;
    narrow_pair(T a, T b) : x(a), y(b)
    {
    }
    narrow_pair operator-() const
    {
        return {-x, -y};
    }
};

#define EMULATION_OPERATOR(op)                                                                     \
    template <std::uint16_t (*To)(float), float (*From)(std::uint16_t)>                            \
    narrow<To, From> operator op(narrow<To, From> a, narrow<To, From> b)                           \
    {                                                                                              \
        return float(a) op float(b);                                                               \
    }                                                                                              \
    template <std::uint16_t (*To)(float), float (*From)(std::uint16_t), class T>                   \
    narrow<To, From> &operator op##=(narrow<To, From> &a, T b)                                     \
    {                                                                                              \
        return a = a op narrow<To, From>(b);                                                       \
    }                                                                                              \
    template <class T> narrow_pair<T> operator op(narrow_pair<T> a, narrow_pair<T> b)              \
    {                                                                                              \
        return {a.x op b.x, a.y op b.y};                                                           \
    }                                                                                              \
    template <class T> narrow_pair<T> &operator op##=(narrow_pair<T> &a, narrow_pair<T> b)         \
    {                                                                                              \
        return a = a op b;                                                                         \
    }
EMULATION_OPERATOR(+)
EMULATION_OPERATOR(-)
EMULATION_OPERATOR(*)
EMULATION_OPERATOR(/)
#undef EMULATION_OPERATOR
#define EMULATION_COMPARISON(op)                                                                   \
    template <std::uint16_t (*To)(float), float (*From)(std::uint16_t)>                            \
    bool operator op(narrow<To, From> a, narrow<To, From> b)                                       \
    {                                                                                              \
        return float(a) op float(b);                                                               \
    }
EMULATION_COMPARISON(==)
EMULATION_COMPARISON(!=)
EMULATION_COMPARISON(<)
EMULATION_COMPARISON(>)
EMULATION_COMPARISON(<=)
EMULATION_COMPARISON(>=)
#undef EMULATION_COMPARISON

// The product is not rounded.
template <class T> T fma_narrow(T a, T b, T c)
{
    return double(float(a)) * double(float(b)) + double(float(c));
}

template <std::uint16_t (*To)(float), float (*From)(std::uint16_t)>
constexpr bool is_shuffled<narrow<To, From>> = true;
template <class T> constexpr bool is_shuffled<narrow_pair<T>> = true;
} // namespace emulation

// ---- functions that half and bfloat16 have alike -----------------------------------------------
#define EMULATION_NARROW_1(T, T2, name, name2, value)                                              \
    inline T name(T a)                                                                             \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    inline T2 name2(T2 a)                                                                          \
    {                                                                                              \
        return {name(a.x), name(a.y)};                                                             \
    }
#define EMULATION_NARROW_2(T, T2, name, name2, value)                                              \
    inline T name(T a, T b)                                                                        \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    inline T2 name2(T2 a, T2 b)                                                                    \
    {                                                                                              \
        return {name(a.x, b.x), name(a.y, b.y)};                                                   \
    }
#define EMULATION_NARROW_COMPARISON(T, T2, name, op)                                               \
    inline bool name(T a, T b)                                                                     \
    {                                                                                              \
        return a op b;                                                                             \
    }                                                                                              \
    inline T2 name##2(T2 a, T2 b)                                                                  \
    {                                                                                              \
        return {T(float(a.x op b.x)), T(float(a.y op b.y))};                                       \
    }
#define EMULATION_NARROW(T, T2)                                                                    \
    EMULATION_NARROW_2(T, T2, __hadd, __hadd2, a + b)                                              \
    EMULATION_NARROW_2(T, T2, __hsub, __hsub2, a - b)                                              \
    EMULATION_NARROW_2(T, T2, __hmul, __hmul2, a *b)                                               \
    EMULATION_NARROW_2(T, T2, __hdiv, __h2div, a / b)                                              \
    EMULATION_NARROW_2(T, T2, __hmax, __hmax2, T(std::fmax(float(a), float(b))))                   \
    EMULATION_NARROW_2(T, T2, __hmin, __hmin2, T(std::fmin(float(a), float(b))))                   \
    EMULATION_NARROW_1(T, T2, __hneg, __hneg2, -a)                                                 \
    EMULATION_NARROW_1(T, T2, __habs, __habs2, T::from_bits(a.bits & 0x7FFF))                      \
    EMULATION_NARROW_1(T, T2, hexp, h2exp, T(std::exp(float(a))))                                  \
    EMULATION_NARROW_1(T, T2, hexp2, h2exp2, T(std::exp2(float(a))))                               \
    EMULATION_NARROW_1(T, T2, hexp10, h2exp10, T(std::pow(10.0f, float(a))))                       \
    EMULATION_NARROW_1(T, T2, hlog, h2log, T(std::log(float(a))))                                  \
    EMULATION_NARROW_1(T, T2, hlog2, h2log2, T(std::log2(float(a))))                               \
    EMULATION_NARROW_1(T, T2, hlog10, h2log10, T(std::log10(float(a))))                            \
    EMULATION_NARROW_1(T, T2, hsqrt, h2sqrt, T(std::sqrt(float(a))))                               \
    EMULATION_NARROW_1(T, T2, hrsqrt, h2rsqrt, T(1 / std::sqrt(float(a))))                         \
    EMULATION_NARROW_1(T, T2, hrcp, h2rcp, T(1 / float(a)))                                        \
    EMULATION_NARROW_1(T, T2, hsin, h2sin, T(std::sin(float(a))))                                  \
    EMULATION_NARROW_1(T, T2, hcos, h2cos, T(std::cos(float(a))))                                  \
    EMULATION_NARROW_1(T, T2, htanh, h2tanh, T(std::tanh(float(a))))                               \
    EMULATION_NARROW_1(T, T2, hceil, h2ceil, T(std::ceil(float(a))))                               \
    EMULATION_NARROW_1(T, T2, hfloor, h2floor, T(std::floor(float(a))))                            \
    EMULATION_NARROW_1(T, T2, htrunc, h2trunc, T(std::trunc(float(a))))                            \
    EMULATION_NARROW_1(T, T2, hrint, h2rint, T(std::rint(float(a))))                               \
    EMULATION_NARROW_COMPARISON(T, T2, __heq, ==)                                                  \
    EMULATION_NARROW_COMPARISON(T, T2, __hne, !=)                                                  \
    EMULATION_NARROW_COMPARISON(T, T2, __hlt, <)                                                   \
    EMULATION_NARROW_COMPARISON(T, T2, __hle, <=)                                                  \
    EMULATION_NARROW_COMPARISON(T, T2, __hgt, >)                                                   \
    EMULATION_NARROW_COMPARISON(T, T2, __hge, >=)                                                  \
    inline bool __hisnan(T a)                                                                      \
    {                                                                                              \
        return std::isnan(float(a));                                                               \
    }                                                                                              \
    inline int __hisinf(T a)                                                                       \
    {                                                                                              \
        return std::isinf(float(a)) ? (float(a) < 0 ? -1 : 1) : 0;                                 \
    }                                                                                              \
    inline T __hfma(T a, T b, T c)                                                                 \
    {                                                                                              \
        return emulation::fma_narrow(a, b, c);                                                     \
    }                                                                                              \
    inline T2 __hfma2(T2 a, T2 b, T2 c)                                                            \
    {                                                                                              \
        return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                     \
    }                                                                                              \
    inline float __low2float(T2 a)                                                                 \
    {                                                                                              \
        return a.x;                                                                                \
    }                                                                                              \
    inline float __high2float(T2 a)                                                                \
    {                                                                                              \
        return a.y;                                                                                \
    }                                                                                              \
    inline T2 __lowhigh2highlow(T2 a)                                                              \
    {                                                                                              \
        return {a.y, a.x};                                                                         \
    }                                                                                              \
    inline T atomicAdd(T *p, T x)                                                                  \
    {                                                                                              \
        return emulation::update(p, [x](T now) { return now + x; });                               \
    }                                                                                              \
    inline T2 atomicAdd(T2 *p, T2 x)                                                               \
    {                                                                                              \
        return emulation::update(p, [x](T2 now) { return now + x; });                              \
    }
#endif
