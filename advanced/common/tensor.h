// SPDX-License-Identifier: MIT
// A tensor core's instruction as a function, for kernels that know which lane has which element. It
// is PTX, which CUDA C++ has no words for; from compute capability 8.0 on. Without a GPU
// engine/cuda/tensor/tensor.h has the same functions.
#ifndef TENSOR_H
#define TENSOR_H

#ifdef CUDA_EMULATED
#include <mma.h>
using emulation::tensor::ldmatrix;
using emulation::tensor::mma_sync;
using emulation::tensor::round_to_tf32;
#else
// sum (16 x 8) += a (16 x 8) * b (8 x 8), by all lanes of a warp. Of each element of a and b the
// last 13 bits are truncated: TF32. Lane 4 * g + q has
//   of a the rows g (a[0], a[2]) and g + 8 (a[1], a[3]), columns q (a[0], a[1]) and q + 4 (a[2],
//     a[3]);
//   of b the rows q (b[0]) and q + 4 (b[1]), column g;
//   of the sum row g (sum[0], sum[1]) and row g + 8 (sum[2], sum[3]), columns 2 * q and 2 * q + 1.
static __device__ inline void mma_sync(float *sum, const float *a, const float *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

// to[0] to to[3]: what mma_sync() takes of a, 16 x 8 elements in shared memory. Each lane names
// four of them side by side, 16 bytes: lane l those of row l % 16, from column l / 16 * 4 on.
static __device__ inline void ldmatrix(float *to, const float *row)
{
    unsigned bits[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits[0]), "=r"(bits[1]), "=r"(bits[2]), "=r"(bits[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
    for (int t = 0; t < 4; t++)
        to[t] = __uint_as_float(bits[t]);
}

// Rounded to TF32: the last 13 bits are 0. Halves to even, which takes one instruction since Hopper
// (on an H100 18 percent of lab 20's speed); away from 0 before, in three.
static __device__ inline float round_to_tf32(float x)
{
    unsigned bits;
#if __CUDA_ARCH__ >= 900
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#endif
    return __uint_as_float(bits);
}
#endif
#endif
