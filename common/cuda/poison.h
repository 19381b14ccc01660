// SPDX-License-Identifier: MIT
// A block finds in shared memory what the one before has left there: of the same kernel, the right
// tile. So it is overwritten before a run is verified, as C is.
#ifndef POISON_H
#define POISON_H

#include "cuda/gpu.h"

// On each multiprocessor, as each block takes all that a block may have. All bits set: NaN, or -1.
static __global__ void poison_block(int words)
{
    extern __shared__ volatile unsigned shared_words[]; // volatile: nobody reads them here
    for (int w = threadIdx.x; w < words; w += blockDim.x)
        shared_words[w] = 0xFFFFFFFFu;
}

static void poison_shared_memory(void)
{
    enum { THREADS = 1024 };
    int device, bytes, multiprocessors;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaFuncSetAttribute(poison_block, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    poison_block<<<multiprocessors, THREADS, bytes>>>(bytes / (int)sizeof(unsigned));
    CHECK(cudaGetLastError());
}
#endif
