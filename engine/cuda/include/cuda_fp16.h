// SPDX-License-Identifier: MIT
// half, and its functions that kernels use most.
#ifndef CUDA_FP16_H
#define CUDA_FP16_H

#include "../tensor/narrow.h"
#include "vector_types.h"

typedef emulation::narrow<emulation::half_format> __half;
typedef emulation::narrow_pair<__half> __half2;
typedef __half half;
typedef __half2 half2;

// ---- to and from it ----------------------------------------------------------------------------
EMULATION_NARROW(__half, __half2)

#define EMULATION_FUNCTION(type, name, parameters, ...)                                            \
    inline type name parameters                                                                    \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
EMULATION_FUNCTION(__half, __float2half, (float x), x)
EMULATION_FUNCTION(__half, __float2half_rn, (float x), x)
EMULATION_FUNCTION(__half, __double2half, (double x), x)
EMULATION_FUNCTION(__half, __int2half_rn, (int x), x)
EMULATION_FUNCTION(__half, __uint2half_rn, (unsigned x), x)
EMULATION_FUNCTION(float, __half2float, (__half x), x)
EMULATION_FUNCTION(int, __half2int_rn, (__half x), int(std::rint(float(x))))
EMULATION_FUNCTION(int, __half2int_rz, (__half x), int(float(x)))
EMULATION_FUNCTION(unsigned short, __half_as_ushort, (__half x), x.bits())
EMULATION_FUNCTION(__half, __ushort_as_half, (unsigned short bits), __half::from_bits(bits))
EMULATION_FUNCTION(__half2, __halves2half2, (__half x, __half y), {x, y})
EMULATION_FUNCTION(__half2, make_half2, (__half x, __half y), {x, y})
EMULATION_FUNCTION(__half2, __half2half2, (__half x), {x, x})
EMULATION_FUNCTION(__half2, __float2half2_rn, (float x), {x, x})
EMULATION_FUNCTION(__half2, __floats2half2_rn, (float x, float y), {x, y})
EMULATION_FUNCTION(__half2, __float22half2_rn, (float2 x), {x.x, x.y})
EMULATION_FUNCTION(float2, __half22float2, (__half2 x), {x.x, x.y})
EMULATION_FUNCTION(__half, __low2half, (__half2 x), x.x)
EMULATION_FUNCTION(__half, __high2half, (__half2 x), x.y)
EMULATION_FUNCTION(__half2, __low2half2, (__half2 x), {x.x, x.x})
EMULATION_FUNCTION(__half2, __high2half2, (__half2 x), {x.y, x.y})
EMULATION_FUNCTION(__half2, __lows2half2, (__half2 x, __half2 y), {x.x, y.x})
EMULATION_FUNCTION(__half2, __highs2half2, (__half2 x, __half2 y), {x.y, y.y})
#undef EMULATION_FUNCTION

inline __half __float2half_rz(float x) // toward zero
{
    const __half nearest = x;
    const bool is_larger = std::fabs(float(nearest)) > std::fabs(x);
    return __half::from_bits(nearest.bits() - is_larger);
}
#endif
