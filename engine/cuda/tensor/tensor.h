// SPDX-License-Identifier: MIT
// Tensor cores: the 32 lanes of a warp multiply small matrices together, of which each lane has a
// part, a fragment. The arithmetic is in tensor.cpp. Which element of wmma's fragments a lane has
// is not for kernels to know; here it is an order that none would guess.
#ifndef TENSOR_CORES_H
#define TENSOR_CORES_H

#include "../../core/counting.h"
#include "../include/cuda_bf16.h"
#include "../include/cuda_fp16.h"
#include "../include/cuda_runtime.h"

namespace nvcuda
{
namespace wmma
{
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}
} // namespace wmma
} // namespace nvcuda

namespace emulation
{
namespace tensor
{
using namespace nvcuda::wmma;

// Of an element's type: how it is stored, what a tensor core takes of it, and how many products it
// adds at a time.
template <class T> struct element {
    typedef T type;
    typedef std::conditional_t<sizeof(T) == 1, int, float> number;
    static constexpr int step = 16;
    static number value(T x)
    {
        return number(x);
    }
};
template <> struct element<precision::tf32> {
    typedef float type, number;
    static constexpr int step = 4; // nvcc 13 makes instructions of 16 x 8 x 4 of it, for any GPU
    static float value(float x)
    {
        return cut_to_tf32(x);
    }
};

// D (m x n) = A (m x k) * B (k x n) + C for these types of element?
template <class T, class Sum, int m, int n, int k> constexpr bool has_shape()
{
    const bool is_wide = (m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32);
    if (std::is_same<T, precision::tf32>::value)
        return m == 16 && n == 16 && k == 8 && std::is_same<Sum, float>::value;
    if (std::is_same<T, __nv_bfloat16>::value)
        return is_wide && k == 16 && std::is_same<Sum, float>::value;
    if (is_one_of<T, signed char, unsigned char>)
        return is_wide && k == 16 && std::is_same<Sum, int>::value;
    return std::is_same<T, __half>::value && is_wide && k == 16;
}

// Rows and columns of a part of the product.
template <class Use, int m, int n, int k> struct size {
    static constexpr int rows = std::is_same<Use, matrix_b>::value ? k : m;
    static constexpr int cols = std::is_same<Use, matrix_a>::value ? k : n;
};

// Row-major, the number of element `t` of a lane's. The count of all is a power of 2.
inline int place_of(int lane, int t, int count)
{
    return ((t * 32 + lane) * 37 + 11) % count;
}

// Where all lanes load from, or store to.
struct memory {
    const void *start;
    unsigned ld;
};

// The lanes meet. Ends the kernel where they give other addresses, or what a device cannot use: a
// start that is no multiple of 32 bytes (of elements of one byte 16), an ld that is none of 16.
void meet_at(const char *call, memory m, std::size_t element_bytes, place at);
// All have what they multiply; `together` is called once, with what each lane gives.
void meet_for_product(void *mine, void (*together)(void *const lanes[32]), place at);

// c (m x n) += a (m x k) * b (k x n), all row-major, `step` products at a time.
void multiply(int m, int n, int k, int step, const float *a, const float *b, float *c);
void multiply(int m, int n, int k, int step, const int *a, const int *b, int *c);

// ---- advanced/common/tensor.h ------------------------------------------------------------------
// PTX's mma.sync.m16n8k8 of TF32: sum (16 x 8) += a (16 x 8) * b (8 x 8). Which lane has which
// element is as PTX's manual has it, and for kernels to know.
void mma_sync(float *sum, const float *a, const float *b, place at = place::here());

// PTX's ldmatrix.m8n8.x4, of floats: each lane names 16 bytes, and lane l gets number l % 4 of
// those that the lanes l / 4, l / 4 + 8, l / 4 + 16 and l / 4 + 24 name.
void check_row(const void *row, place at); // and counts it
template <class T> T read_row(const T *row, unsigned col)
{
    pause_counting(true);
    const T x = row[col];
    pause_counting(false);
    return x;
}
inline void ldmatrix(float *to, const float *row, place at = place::here())
{
    check_row(row, at);
    for (unsigned t = 0; t < 4; t++) {
        const std::uintptr_t from =
            shuffle("ldmatrix", ~0u, reinterpret_cast<std::uintptr_t>(row), t * 8 + lane() / 4, at);
        to[t] = read_row(reinterpret_cast<const float *>(from), lane() % 4);
    }
}

inline float round_to_tf32(float x)
{
    return to_tf32(x);
}
} // namespace tensor
} // namespace emulation

#endif
