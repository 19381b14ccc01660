// SPDX-License-Identifier: MIT
// Matrices of bfloat16 for a GPU, rounded from float. Their rows are padded to multiples of eight
// elements, 16 bytes, as TMA requires and libraries prefer.
#ifndef BF16_H
#define BF16_H

#include <cuda_bf16.h>
#include "gpu.h"

typedef __nv_bfloat16 bf16;

// The leading dimension of a matrix with so many columns: elements from one row to the next.
static inline size_t padded(int cols)
{
    return ((size_t)cols + 7) / 8 * 8;
}

// Memory for the matrix in bfloat16.
static inline bf16 *create_bf16(const struct matrix *m)
{
    bf16 *data;
    CHECK(cudaMalloc(&data, sizeof(bf16) * m->rows * padded(m->cols)));
    return data;
}

// to (rows x cols, leading dimension `pitch`) = from (rows x cols, below 2^31 elements), rounded to
// nearest even. Any grid.
static __global__ void round_to_bf16(unsigned rows, unsigned cols, size_t pitch, const float *from,
                                     bf16 *to)
{
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < rows * cols; n += stride)
        to[n / cols * pitch + n % cols] = __float2bfloat16(from[n]);
}

static inline void copy_to_bf16(const struct matrix *m, const float *from, bf16 *to)
{
    round_to_bf16<<<4096, 256>>>(m->rows, m->cols, padded(m->cols), from, to);
    CHECK(cudaGetLastError());
}
#endif
