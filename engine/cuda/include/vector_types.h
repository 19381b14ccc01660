// SPDX-License-Identifier: MIT
// float4 and the others: two to four numbers, aligned so that a device moves them at once.
#ifndef VECTOR_TYPES_H
#define VECTOR_TYPES_H

template <class T> struct vector1 {
    T x;
};
template <class T> struct alignas(2 * sizeof(T)) vector2 {
    T x, y;
};
template <class T> struct vector3 {
    T x, y, z;
};
template <class T> struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) vector4 {
    T x, y, z, w;
};

#define EMULATION_VECTORS(T, name)                                                                 \
    typedef vector1<T> name##1;                                                                    \
    typedef vector2<T> name##2;                                                                    \
    typedef vector3<T> name##3;                                                                    \
    typedef vector4<T> name##4;                                                                    \
    constexpr name##1 make_##name##1(T x)                                                          \
    {                                                                                              \
        return {x};                                                                                \
    }                                                                                              \
    constexpr name##2 make_##name##2(T x, T y)                                                     \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    constexpr name##3 make_##name##3(T x, T y, T z)                                                \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    constexpr name##4 make_##name##4(T x, T y, T z, T w)                                           \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
EMULATION_VECTORS(signed char, char)
EMULATION_VECTORS(unsigned char, uchar)
EMULATION_VECTORS(short, short)
EMULATION_VECTORS(unsigned short, ushort)
EMULATION_VECTORS(int, int)
EMULATION_VECTORS(unsigned, uint)
EMULATION_VECTORS(long long, longlong)
EMULATION_VECTORS(unsigned long long, ulonglong)
EMULATION_VECTORS(float, float)
EMULATION_VECTORS(double, double)
#undef EMULATION_VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
};
#endif
