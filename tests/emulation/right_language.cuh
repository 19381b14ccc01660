// SPDX-License-Identifier: MIT
// What right_language.cu includes: CUDA in a header, which includes another.
#pragma once
#include "right_language_inner.h"

#define LAUNCH(kernel, blocks, threads, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)
#define TILE(name, n) __shared__ float name[n]
#define SHARED __shared__ // as many call it
#define SHARED_UNSIGNED __shared__ unsigned int
#define TYPED_TILE(type, name, n) SHARED type name[n][n];

__constant__ float factors[2];
__device__ int of_header;

template <int B> __global__ void __launch_bounds__(B) reverse(float *x)
{
    __shared__ float tile[B];
    tile[threadIdx.x] = x[threadIdx.x] * factors[1];
    __syncthreads();
    x[threadIdx.x] = tile[B - 1 - threadIdx.x];
}

inline void launch_reverse(float *x)
{
    reverse<32><<<1, 32>>>(x);
}
