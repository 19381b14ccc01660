// SPDX-License-Identifier: MIT
#pragma once
static __device__ float last(const float *x)
{
    __shared__ float copy[32];
    copy[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    return copy[31];
}
