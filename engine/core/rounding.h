// SPDX-License-Identifier: MIT
// Functions of a kernel that round towards 0, down or up: _rz, _rd, _ru. `rewrite` includes this
// where one is called, as few kernels do.
#ifndef ROUNDING_H
#define ROUNDING_H

#include <cfenv>
#include <cmath>

namespace emulation
{
// The CPU rounds so while this lives.
class rounding
{
    const int before = std::fegetround();

  public:
    explicit rounding(int mode)
    {
        std::fesetround(mode);
    }
    ~rounding()
    {
        std::fesetround(before);
    }
};

// x, which no compiler computes with before, nor computes after: it does not know that it matters
// when.
template <class T> T seen(T x)
{
    const volatile T there = x;
    return there;
}
} // namespace emulation

#define EMULATION_ROUNDED_AS(T, name, mode, parameters, value)                                     \
    inline T name parameters                                                                       \
    {                                                                                              \
        using emulation::seen;                                                                     \
        const emulation::rounding as(mode);                                                        \
        return seen<T>(value);                                                                     \
    }
#define EMULATION_ROUNDED(T, name, parameters, value)                                              \
    EMULATION_ROUNDED_AS(T, name##_rz, FE_TOWARDZERO, parameters, value)                           \
    EMULATION_ROUNDED_AS(T, name##_rd, FE_DOWNWARD, parameters, value)                             \
    EMULATION_ROUNDED_AS(T, name##_ru, FE_UPWARD, parameters, value)
EMULATION_ROUNDED(float, __fadd, (float a, float b), seen(a) + seen(b))
EMULATION_ROUNDED(float, __fsub, (float a, float b), seen(a) - seen(b))
EMULATION_ROUNDED(float, __fmul, (float a, float b), seen(a) * seen(b))
EMULATION_ROUNDED(float, __fdiv, (float a, float b), seen(a) / seen(b))
EMULATION_ROUNDED(float, __fmaf, (float a, float b, float c), std::fma(seen(a), seen(b), seen(c)))
EMULATION_ROUNDED(float, __frcp, (float x), 1 / seen(x))
EMULATION_ROUNDED(float, __fsqrt, (float x), std::sqrt(seen(x)))
EMULATION_ROUNDED(double, __dadd, (double a, double b), seen(a) + seen(b))
EMULATION_ROUNDED(double, __dsub, (double a, double b), seen(a) - seen(b))
EMULATION_ROUNDED(double, __dmul, (double a, double b), seen(a) * seen(b))
EMULATION_ROUNDED(double, __ddiv, (double a, double b), seen(a) / seen(b))
EMULATION_ROUNDED(double, __fma, (double a, double b, double c),
                  std::fma(seen(a), seen(b), seen(c)))
EMULATION_ROUNDED(double, __drcp, (double x), 1 / seen(x))
EMULATION_ROUNDED(double, __dsqrt, (double x), std::sqrt(seen(x)))
#undef EMULATION_ROUNDED
#undef EMULATION_ROUNDED_AS
#endif
