// SPDX-License-Identifier: MIT
// bfloat16, and its functions that kernels use most.
#ifndef CUDA_BF16_H
#define CUDA_BF16_H

#include "../tensor/narrow.h"
#include "vector_types.h"

typedef emulation::narrow<emulation::bfloat16_format> __nv_bfloat16;
typedef emulation::narrow_pair<__nv_bfloat16> __nv_bfloat162;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// ---- to and from it ----------------------------------------------------------------------------
EMULATION_NARROW(__nv_bfloat16, __nv_bfloat162)

#define EMULATION_FUNCTION(type, name, parameters, ...)                                            \
    inline type name parameters                                                                    \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
EMULATION_FUNCTION(__nv_bfloat16, __float2bfloat16, (float x), x)
EMULATION_FUNCTION(__nv_bfloat16, __float2bfloat16_rn, (float x), x)
EMULATION_FUNCTION(__nv_bfloat16, __double2bfloat16, (double x), x)
EMULATION_FUNCTION(__nv_bfloat16, __int2bfloat16_rn, (int x), x)
EMULATION_FUNCTION(__nv_bfloat16, __uint2bfloat16_rn, (unsigned x), x)
EMULATION_FUNCTION(float, __bfloat162float, (__nv_bfloat16 x), x)
EMULATION_FUNCTION(int, __bfloat162int_rn, (__nv_bfloat16 x), int(std::rint(float(x))))
EMULATION_FUNCTION(int, __bfloat162int_rz, (__nv_bfloat16 x), int(float(x)))
EMULATION_FUNCTION(unsigned short, __bfloat16_as_ushort, (__nv_bfloat16 x), x.bits())
EMULATION_FUNCTION(__nv_bfloat16, __ushort_as_bfloat16, (unsigned short bits),
                   __nv_bfloat16::from_bits(bits))
EMULATION_FUNCTION(__nv_bfloat162, __halves2bfloat162, (__nv_bfloat16 x, __nv_bfloat16 y), {x, y})
EMULATION_FUNCTION(__nv_bfloat162, make_bfloat162, (__nv_bfloat16 x, __nv_bfloat16 y), {x, y})
EMULATION_FUNCTION(__nv_bfloat162, __bfloat162bfloat162, (__nv_bfloat16 x), {x, x})
EMULATION_FUNCTION(__nv_bfloat162, __float2bfloat162_rn, (float x), {x, x})
EMULATION_FUNCTION(__nv_bfloat162, __floats2bfloat162_rn, (float x, float y), {x, y})
EMULATION_FUNCTION(__nv_bfloat162, __float22bfloat162_rn, (float2 x), {x.x, x.y})
EMULATION_FUNCTION(float2, __bfloat1622float2, (__nv_bfloat162 x), {x.x, x.y})
EMULATION_FUNCTION(__nv_bfloat16, __low2bfloat16, (__nv_bfloat162 x), x.x)
EMULATION_FUNCTION(__nv_bfloat16, __high2bfloat16, (__nv_bfloat162 x), x.y)
EMULATION_FUNCTION(__nv_bfloat162, __low2bfloat162, (__nv_bfloat162 x), {x.x, x.x})
EMULATION_FUNCTION(__nv_bfloat162, __high2bfloat162, (__nv_bfloat162 x), {x.y, x.y})
EMULATION_FUNCTION(__nv_bfloat162, __lows2bfloat162, (__nv_bfloat162 x, __nv_bfloat162 y),
                   {x.x, y.x})
EMULATION_FUNCTION(__nv_bfloat162, __highs2bfloat162, (__nv_bfloat162 x, __nv_bfloat162 y),
                   {x.y, y.y})
#undef EMULATION_FUNCTION
#endif
