// SPDX-License-Identifier: MIT
// Numbers of fewer bits than float: half (11 bits of significand), bfloat16 (8) and TF32 (11, of a float's range).
#ifndef NARROW_H
#define NARROW_H

#include <cmath>
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

// To the nearest multiple of 2^exponent, of two the even one. Exact until then.
inline double round_to(double x, int exponent)
{
    return std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent);
}

// The bits of the nearest half. From double, so that a product and a sum are rounded once.
inline std::uint16_t to_half(double x)
{
    const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x))
        return 0x7FFF;
    if (x == 0)
        return sign;
    const int exponent = std::isinf(x) ? 16 : std::ilogb(x);
    const int least = exponent < -14 ? -24 : exponent - 10; // what the last bit is worth
    const double rounded = exponent > 15 ? INFINITY : std::fabs(round_to(x, least));
    if (rounded >= 65520)
        return std::uint16_t(sign | 0x7C00);
    if (rounded < std::ldexp(1, -14)) // subnormal
        return std::uint16_t(sign | std::uint16_t(std::ldexp(rounded, 24)));
    const int e = std::ilogb(rounded);
    return std::uint16_t(sign | ((e + 15) << 10) |
                         (std::uint16_t(std::ldexp(rounded, 10 - e)) & 0x3FF));
}

inline float from_half(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31, significand = bits & 0x3FF;
    const float size = exponent == 31  ? (significand == 0 ? INFINITY : NAN)
                       : exponent == 0 ? std::ldexp(float(significand), -24)
                                       : std::ldexp(float(significand | 0x400), exponent - 25);
    return bits & 0x8000 ? -size : size;
}

// The bits of the nearest bfloat16, which are the upper ones of a float; of two the even one. A double is first
// cut to a float whose last bit says whether anything was cut off.
inline std::uint16_t to_bfloat16(double x)
{
    if (std::isnan(x))
        return 0x7FFF;
    std::uint32_t bits = bits_of(float(x));
    const double error = double(float(x)) - x;
    if (error != 0 && std::isfinite(float(x)))
        bits = ((error > 0) == (x > 0) ? bits - 1 : bits) | 1;
    return std::uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float from_bfloat16(std::uint16_t bits)
{
    return float_of(std::uint32_t(bits) << 16);
}

// The nearest TF32, of two the one further from 0. Only an instruction that says so rounds: a tensor core leaves
// the lower bits of a float out.
inline float to_tf32(float x)
{
    return std::isfinite(x) ? float_of((bits_of(x) + 0x1000) & ~0x1FFFu) : x;
}

inline float cut_to_tf32(float x)
{
    return std::isfinite(x) ? float_of(bits_of(x) & ~0x1FFFu) : x;
}

// A number that is stored in 16 bits. Each operation rounds, as it does on a device.
template <std::uint16_t (*To)(double), float (*From)(std::uint16_t)> struct narrow {
    std::uint16_t bits;
    narrow() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    narrow(T x) : bits(To(double(x)))
    {
    }
    operator float() const
    {
        return From(bits);
    }
    friend narrow operator+(narrow a, narrow b)
    {
        return float(a) + float(b);
    }
    friend narrow operator-(narrow a, narrow b)
    {
        return float(a) - float(b);
    }
    friend narrow operator*(narrow a, narrow b)
    {
        return float(a) * float(b);
    }
    friend narrow operator/(narrow a, narrow b)
    {
        return float(a) / float(b);
    }
    narrow operator-() const
    {
        return -float(*this);
    }
    narrow &operator+=(narrow b)
    {
        return *this = *this + b;
    }
    narrow &operator-=(narrow b)
    {
        return *this = *this - b;
    }
    narrow &operator*=(narrow b)
    {
        return *this = *this * b;
    }
    friend bool operator==(narrow a, narrow b)
    {
        return float(a) == float(b);
    }
    friend bool operator!=(narrow a, narrow b)
    {
        return float(a) != float(b);
    }
    friend bool operator<(narrow a, narrow b)
    {
        return float(a) < float(b);
    }
    friend bool operator>(narrow a, narrow b)
    {
        return float(a) > float(b);
    }
};

// Two of them in four bytes.
template <class T> struct alignas(4) narrow_pair {
    T x, y;
    friend narrow_pair operator+(narrow_pair a, narrow_pair b)
    {
        return {a.x + b.x, a.y + b.y};
    }
    friend narrow_pair operator-(narrow_pair a, narrow_pair b)
    {
        return {a.x - b.x, a.y - b.y};
    }
    friend narrow_pair operator*(narrow_pair a, narrow_pair b)
    {
        return {a.x * b.x, a.y * b.y};
    }
};

// The product is not rounded.
template <class T> T fma_narrow(T a, T b, T c)
{
    return double(float(a)) * double(float(b)) + double(float(c));
}
} // namespace emulation
#endif
