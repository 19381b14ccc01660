// SPDX-License-Identifier: MIT
// Numbers of fewer bits than float: half (11 bits of significand), bfloat16 (8) and TF32 (11, of a
// float's range).
#ifndef NARROW_H
#define NARROW_H

#include "../../core/atomics.h"
#include "../../core/place.h"
#include "../../core/warp.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace emulation
{
template <class To, class From> To copied(From x)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}

inline std::uint32_t bits_of(float x)
{
    return copied<std::uint32_t>(x);
}

inline float float_of(std::uint32_t bits)
{
    return copied<float>(bits);
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

// g++ checks that an object has a multiple of its bytes as its address, and so keeps it in memory.
// Functions with this are checked where they are called: a number stays in a register.
#if defined __GNUC__ && __GNUC__ >= 12
#define EMULATION_IN_REGISTERS __attribute__((always_inline, no_sanitize("alignment"))) inline
#else
#define EMULATION_IN_REGISTERS
#endif
#define EMULATION_MOSTLY(x) __builtin_expect_with_probability(x, 1, 1.0)

// ---- formats: how a number of 16 bits is stored, and what it is as a float ----------------------
// No conversion is arithmetic: what nobody wrote, a signalling NaN, stays known as such. A kernel
// may convert what it loads ahead, past the end, and never uses.

// Most CPUs have instructions for halves. No kernel is compiled for one CPU alone: they are asked
// for when it runs. With AddressSanitizer none is used, as they trap at such a NaN.
#if defined __x86_64__ && defined __GNUC__
#define EMULATION_HALF_INSTRUCTIONS
#define EMULATION_SELDOM __attribute__((noinline, cold)) // inline, it would move halves elsewhere
extern const bool has_half_instructions;
#else
#define EMULATION_SELDOM
#endif
// They take a half from where floats are, and there a _Float16 of g++ lies. The way to a register
// of whole numbers and back would take 6 clock cycles, where a sum waits for 9.
#if defined EMULATION_HALF_INSTRUCTIONS && defined __FLT16_MANT_DIG__ && !defined __clang__
__extension__ typedef _Float16 half_register, stored_half;
#else
typedef unsigned half_register;
typedef std::uint16_t stored_half;
#endif

struct half_format {
    typedef stored_half stored;
    EMULATION_IN_REGISTERS static stored narrowed(float x)
    {
#ifdef EMULATION_HALF_INSTRUCTIONS
        if (EMULATION_MOSTLY(has_half_instructions && (bits_of(x) & 0x7FFFFFFF) <= 0x7F800000)) {
            half_register half;
            __asm__("vcvtps2ph $0, %1, %0" : "=x"(half) : "x"(x));
            return stored(half);
        }
#endif
        return nearest(x);
    }
    // It comes from memory: g++ loads no half without waiting for what its register held.
    EMULATION_IN_REGISTERS static float widened(stored half)
    {
        return converted(half, unsigned(copied<std::uint16_t>(half)));
    }
    // It has just been computed.
    EMULATION_IN_REGISTERS static float widened_sum(stored half)
    {
        return converted(half, half_register(half));
    }
    // A sum with a product, rounded to a float first: does it become the same half? Half way
    // between two halves it may not.
    static bool is_rounded_once(float, float sum)
    {
        const std::uint32_t bits = bits_of(sum);
        return (bits & 0x1FFF) != 0x1000 && (bits & 0x7FFFFFFF) >= 0x38800000; // 2^-14
    }

  private:
    template <class Register>
    EMULATION_IN_REGISTERS static float converted(stored half, Register in_it)
    {
#ifdef EMULATION_HALF_INSTRUCTIONS
        if (EMULATION_MOSTLY(has_half_instructions)) {
            float x;
            __asm__("vcvtph2ps %1, %0" : "=x"(x) : "x"(in_it));
            return x;
        }
#endif
        (void)in_it;
        return as_float(half);
    }
    static stored of(std::uint32_t bits)
    {
        return copied<stored>(std::uint16_t(bits));
    }
    // Of two the even one. A subnormal one is a multiple of 2^-24, as the last bit of 0.5 is; of a
    // larger number the bits of a float, less those of the exponents that a half has not, are
    // rounded.
    EMULATION_SELDOM static stored nearest(float x)
    {
        const std::uint32_t bits = bits_of(x), size = bits & 0x7FFFFFFF;
        const std::uint32_t sign = bits >> 16 & 0x8000;
        if (size > 0x7F800000) // NaN, which signals or does not
            return of(0x7DFF | (bits >> 13 & 0x200));
        if (size >= 0x47800000) // 65536
            return of(sign | 0x7C00);
        if (size < 0x38800000) // 2^-14
            return of(sign | (bits_of(float_of(size) + 0.5f) - 0x3F000000));
        return of(sign | (size - 0x38000000 + 0xFFF + (size >> 13 & 1)) >> 13);
    }
    // As a float the same bits have an exponent that is too small by 112.
    EMULATION_SELDOM static float as_float(stored x)
    {
        const std::uint32_t half = copied<std::uint16_t>(x);
        const std::uint32_t size = (half & 0x7FFF) << 13, sign = (half & 0x8000) << 16;
        const std::uint32_t bits =
            size >= 0x0F800000 ? size | 0x7F800000 : bits_of(float_of(size) * 0x1p112f);
        return float_of(bits | sign);
    }
};

// The upper bits of a float; of two the even one.
struct bfloat16_format {
    typedef std::uint16_t stored;
    EMULATION_IN_REGISTERS static stored narrowed(float x)
    {
        const std::uint32_t bits = bits_of(x);
        if ((bits & 0x7FFFFFFF) > 0x7F800000)
            return std::uint16_t(0x7FBF | (bits >> 16 & 0x40));
        return std::uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
    EMULATION_IN_REGISTERS static float widened(stored bits)
    {
        return float_of(std::uint32_t(bits) << 16);
    }
    EMULATION_IN_REGISTERS static float widened_sum(stored bits)
    {
        return widened(bits);
    }
    static bool is_rounded_once(float product, float sum)
    {
        return (bits_of(sum) & 0xFFFF) != 0x8000 && std::isnormal(product);
    }
};

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
template <class Format> struct narrow {
    typename Format::stored stored;
    narrow() = default;
    EMULATION_IN_REGISTERS narrow(float x) : stored(Format::narrowed(x))
    {
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    EMULATION_IN_REGISTERS narrow(T x) : stored(Format::narrowed(to_odd_float(double(x))))
    {
    }
    EMULATION_IN_REGISTERS operator float() const
    {
        return Format::widened(stored);
    }
    EMULATION_IN_REGISTERS narrow operator-() const
    {
        return from_bits(bits() ^ 0x8000);
    }
    EMULATION_IN_REGISTERS narrow operator+() const
    {
        return *this;
    }
    EMULATION_IN_REGISTERS std::uint16_t bits() const
    {
        return copied<std::uint16_t>(stored);
    }
    static narrow from_bits(unsigned bits)
    {
        return copied<narrow>(std::uint16_t(bits));
    }
};

// Two of them in four bytes.
template <class T> struct alignas(4) narrow_pair {
    T x, y;
    narrow_pair() = default;
    EMULATION_IN_REGISTERS narrow_pair(T a, T b) : x(a), y(b)
    {
    }
    EMULATION_IN_REGISTERS narrow_pair operator-() const
    {
        return {-x, -y};
    }
};

#define EMULATION_OPERATOR(op)                                                                     \
    template <class Format>                                                                        \
    EMULATION_IN_REGISTERS narrow<Format> operator op(narrow<Format> a, narrow<Format> b)          \
    {                                                                                              \
        return float(a) op float(b);                                                               \
    }                                                                                              \
    template <class Format, class T>                                                               \
    EMULATION_IN_REGISTERS narrow<Format> &operator op##=(narrow<Format> &a, T b)                  \
    {                                                                                              \
        return a = Format::widened_sum(a.stored) op float(narrow<Format>(b));                      \
    }                                                                                              \
    template <class T>                                                                             \
    EMULATION_IN_REGISTERS narrow_pair<T> operator op(narrow_pair<T> a, narrow_pair<T> b)          \
    {                                                                                              \
        return {a.x op b.x, a.y op b.y};                                                           \
    }                                                                                              \
    template <class T>                                                                             \
    EMULATION_IN_REGISTERS narrow_pair<T> &operator op##=(narrow_pair<T> &a, narrow_pair<T> b)     \
    {                                                                                              \
        a.x op## = b.x;                                                                            \
        a.y op## = b.y;                                                                            \
        return a;                                                                                  \
    }
EMULATION_OPERATOR(+)
EMULATION_OPERATOR(-)
EMULATION_OPERATOR(*)
EMULATION_OPERATOR(/)
#undef EMULATION_OPERATOR
#define EMULATION_COMPARISON(op)                                                                   \
    template <class Format>                                                                        \
    EMULATION_IN_REGISTERS bool operator op(narrow<Format> a, narrow<Format> b)                    \
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
template <class Format>
EMULATION_SELDOM narrow<Format> fma_as_double(narrow<Format> a, narrow<Format> b, narrow<Format> c)
{
    return double(float(a)) * double(float(b)) + double(float(c));
}
template <class Format>
EMULATION_IN_REGISTERS narrow<Format> fma_narrow(narrow<Format> a, narrow<Format> b,
                                                 narrow<Format> c)
{
    const float product = float(a) * float(b), sum = product + Format::widened_sum(c.stored);
    if (EMULATION_MOSTLY(Format::is_rounded_once(product, sum)))
        return sum;
    return fma_as_double(a, b, c);
}

template <class Format> constexpr bool is_shuffled<narrow<Format>> = true;
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
    EMULATION_NARROW_1(T, T2, __habs, __habs2, T::from_bits(a.bits() & 0x7FFF))                    \
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
