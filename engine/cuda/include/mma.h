// SPDX-License-Identifier: MIT
// nvcuda::wmma: the tensor cores as C++ has them.
#ifndef MMA_H
#define MMA_H

#include "../tensor/tensor.h"

namespace nvcuda
{
namespace wmma
{
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
    typedef emulation::tensor::size<Use, m, n, k> size;
    typedef typename emulation::tensor::element<T>::type element_type;
    enum { num_elements = size::rows * size::cols / 32 };
    element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout, class V>
void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, V value)
{
    for (auto &x : f.x)
        x = value;
}

inline float __float_to_tf32(float x)
{
    return emulation::to_tf32(x);
}

// From row-major memory, or column by column, `ld` elements from one row, or column, to the next.
template <class Use, int m, int n, int k, class T, class Layout, class Element>
void load_fragment(fragment<Use, m, n, k, T, Layout> &f, const Element *p, unsigned ld,
                   bool is_row_major, emulation::place at)
{
    typedef typename fragment<Use, m, n, k, T, Layout>::size size;
    emulation::tensor::meet_at("load_matrix_sync", {p, ld}, sizeof *p, at);
    for (int t = 0; t < f.num_elements; t++) {
        const int i =
            emulation::tensor::place_of(int(emulation::lane()), t, size::rows * size::cols);
        const unsigned row = unsigned(i / size::cols), col = unsigned(i % size::cols);
        f.x[t] = is_row_major ? p[row * ld + col] : p[col * ld + row];
    }
}

template <class Use, int m, int n, int k, class T, class Layout>
void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f,
                      const typename emulation::tensor::element<T>::type *p, unsigned ld,
                      emulation::place at = emulation::place::here())
{
    static_assert(!std::is_same<Layout, void>::value, "an accumulator is loaded with a layout_t");
    load_fragment(f, p, ld, std::is_same<Layout, row_major>::value, at);
}

template <int m, int n, int k, class T>
void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned ld,
                      layout_t layout, emulation::place at = emulation::place::here())
{
    load_fragment(f, p, ld, layout == mem_row_major, at);
}

template <int m, int n, int k, class T>
void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned ld,
                       layout_t layout, emulation::place at = emulation::place::here())
{
    emulation::tensor::meet_at("store_matrix_sync", {p, ld}, sizeof *p, at);
    for (int t = 0; t < f.num_elements; t++) {
        const int i = emulation::tensor::place_of(int(emulation::lane()), t, m * n);
        const unsigned row = unsigned(i / n), col = unsigned(i % n);
        p[layout == mem_row_major ? row * ld + col : col * ld + row] = f.x[t];
    }
}

// d = a * b + c. A device computes with inputs of T and sums of Sum; here d may be c, too.
template <int m, int n, int k, class T, class Sum, class LayoutA, class LayoutB>
void mma_sync(fragment<accumulator, m, n, k, Sum> &d,
              const fragment<matrix_a, m, n, k, T, LayoutA> &a,
              const fragment<matrix_b, m, n, k, T, LayoutB> &b,
              const fragment<accumulator, m, n, k, Sum> &c,
              emulation::place at = emulation::place::here())
{
    static_assert(emulation::tensor::has_shape<T, Sum, m, n, k>(),
                  "there is no product of this shape and type");
    struct parts {
        fragment<accumulator, m, n, k, Sum> *d;
        const fragment<matrix_a, m, n, k, T, LayoutA> *a;
        const fragment<matrix_b, m, n, k, T, LayoutB> *b;
        const fragment<accumulator, m, n, k, Sum> *c;
    } mine = {&d, &a, &b, &c};
    emulation::tensor::meet_for_product(
        &mine,
        [](void *const lanes[32]) {
            using namespace emulation::tensor;
            typedef typename element<T>::number number;
            number A[m * k], B[k * n], C[m * n];
            for (int lane = 0; lane < 32; lane++) {
                const parts &p = *static_cast<const parts *>(lanes[lane]);
                for (int t = 0; t < m * k / 32; t++)
                    A[place_of(lane, t, m * k)] = element<T>::value(p.a->x[t]);
                for (int t = 0; t < k * n / 32; t++)
                    B[place_of(lane, t, k * n)] = element<T>::value(p.b->x[t]);
                for (int t = 0; t < m * n / 32; t++)
                    C[place_of(lane, t, m * n)] = number(p.c->x[t]);
            }
            multiply(m, n, k, element<T>::step, A, B, C);
            for (int lane = 0; lane < 32; lane++)
                for (int t = 0; t < m * n / 32; t++)
                    static_cast<const parts *>(lanes[lane])->d->x[t] =
                        Sum(C[place_of(lane, t, m * n)]);
        },
        at);
}
} // namespace wmma
} // namespace nvcuda
#endif
