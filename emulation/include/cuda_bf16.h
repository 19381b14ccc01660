// SPDX-License-Identifier: MIT
// bfloat16, and its functions that kernels use most.
#ifndef CUDA_BF16_H
#define CUDA_BF16_H

#include "../tensor/narrow.h"
#include "vector_types.h"

typedef emulation::narrow<emulation::to_bfloat16, emulation::from_bfloat16> __nv_bfloat16;
typedef emulation::narrow_pair<__nv_bfloat16> __nv_bfloat162;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline __nv_bfloat16 __float2bfloat16(float x)
{
    return x;
}

inline __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return x;
}

inline float __bfloat162float(__nv_bfloat16 x)
{
    return x;
}

inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return {x, y};
}

inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {x, y};
}

inline float2 __bfloat1622float2(__nv_bfloat162 x)
{
    return {x.x, x.y};
}
#endif
