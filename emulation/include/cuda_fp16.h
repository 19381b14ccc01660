// SPDX-License-Identifier: MIT
// half, and its functions that kernels use most.
#ifndef CUDA_FP16_H
#define CUDA_FP16_H

#include "../tensor/narrow.h"
#include "vector_types.h"

typedef emulation::narrow<emulation::to_half, emulation::from_half> __half;
typedef emulation::narrow_pair<__half> __half2;
typedef __half half;
typedef __half2 half2;

inline __half __float2half(float x)
{
    return x;
}

inline __half __float2half_rn(float x)
{
    return x;
}

inline __half __double2half(double x)
{
    return x;
}

inline __half __int2half_rn(int x)
{
    return x;
}

inline float __half2float(__half x)
{
    return x;
}

inline __half __hadd(__half a, __half b)
{
    return a + b;
}

inline __half __hsub(__half a, __half b)
{
    return a - b;
}

inline __half __hmul(__half a, __half b)
{
    return a * b;
}

inline __half __hfma(__half a, __half b, __half c)
{
    return emulation::fma_narrow(a, b, c);
}

inline __half2 __halves2half2(__half x, __half y)
{
    return {x, y};
}

inline __half2 __half2half2(__half x)
{
    return {x, x};
}

inline __half2 __float2half2_rn(float x)
{
    return {x, x};
}

inline __half2 __floats2half2_rn(float x, float y)
{
    return {x, y};
}

inline __half2 __float22half2_rn(float2 x)
{
    return {x.x, x.y};
}

inline float2 __half22float2(__half2 x)
{
    return {x.x, x.y};
}

inline __half __low2half(__half2 x)
{
    return x.x;
}

inline __half __high2half(__half2 x)
{
    return x.y;
}

inline __half2 __hadd2(__half2 a, __half2 b)
{
    return a + b;
}

inline __half2 __hmul2(__half2 a, __half2 b)
{
    return a * b;
}

inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
#endif
