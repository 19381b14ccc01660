// SPDX-License-Identifier: MIT
// clang-format off
// Included by prelude.cl: conversions between types, and from and to half. Their names differ by a
// type, a size and a rounding: families.py defines those that a kernel names.
enum { TO_rte, TO_rtz, TO_rtp, TO_rtn }; // to nearest, towards zero, up, down
OWN double rounded(double x, int mode)
{
    return mode == TO_rte   ? __builtin_rint(x)
           : mode == TO_rtz ? __builtin_trunc(x)
           : mode == TO_rtp ? __builtin_ceil(x)
                            : __builtin_floor(x);
}

// ---- convert_ -----------------------------------------------------------------------------------
// one_to_int() and so on convert from long, ulong and double, as which widest() takes any number.
#define WIDEST(T, W) DECLARED W widest(T);
WIDEST(char, long) WIDEST(short, long) WIDEST(int, long) WIDEST(long, long)
WIDEST(uchar, ulong) WIDEST(ushort, ulong) WIDEST(uint, ulong) WIDEST(ulong, ulong)
WIDEST(float, double) WIDEST(double, double)
#define TO_INTEGER(T, W) \
    OWN T one_to_##T(W x, bool saturated, int mode) \
    { T r; bool fits = !__builtin_add_overflow(x, (W)0, &r); \
      return fits || !saturated ? r : x < 0 ? MIN_OF(T) : MAX_OF(T); }
#define TO_INTEGERS(T, U) TO_INTEGER(T, long) TO_INTEGER(T, ulong) \
    OWN T one_to_##T(double x, bool saturated, int mode) \
    { double r = rounded(x, mode); \
      return !saturated ? (T)r : r != r ? 0 : r <= (double)MIN_OF(T) ? MIN_OF(T) \
             : r >= (double)MAX_OF(T) ? MAX_OF(T) : (T)r; }
INTEGERS(TO_INTEGERS)
#define TO_REAL(T, W, greater, less) \
    OWN T one_to_##T(W x, bool saturated, int mode) \
    { T r = x; T down = one_nextafter(r, -(T)INFINITY); T up = one_nextafter(r, (T)INFINITY); \
      return (greater) && (mode == TO_rtn || (mode == TO_rtz && x > 0)) ? down \
             : (less) && (mode == TO_rtp || (mode == TO_rtz && x < 0)) ? up : r; }
#define TO_REALS(T, U) TO_REAL(T, double, r > x, r < x) \
    TO_REAL(T, long, r >= 0x1p63f || (long)r > x, r < 0x1p63f && (long)r < x) \
    TO_REAL(T, ulong, r >= 0x1p64f || (ulong)r > x, r < 0x1p64f && (ulong)r < x)
REALS(TO_REALS)
#define CONVERT_(f, T, x, saturated, mode) \
    ({ LET_1_(x) RESULT_(f(x_)) \
       typedef __typeof__(widest((ELEMENT_(X_))0)) W_; \
       EACH_(R_, AT_(R_, r_) = one_to_##T((W_)AT_(X_, x_), saturated, TO_##mode)) \
       r_; })

// ---- half in memory -----------------------------------------------------------------------------
OWN float from_half(ushort h)
{
    uint exponent = h >> 10 & 31, fraction = h & 0x3ff, sign = (uint)(h & 0x8000) << 16;
    if (exponent == 0)
        return as_float(as_uint(fraction * 0x1p-24f) | sign);
    return as_float(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
}
OWN ushort to_half(double x, int mode)
{
    double size = __builtin_fabs(x);
    ushort sign = as_ulong(x) >> 48 & 0x8000;
    if (!(size < INFINITY))
        return sign | (x != x ? 0x7e00 : 0x7c00);
    int unit = size < 0x1p-14 ? -24 : __builtin_ilogb(size) - 10; // exponent of the last bit
    double units = __builtin_fabs(rounded(__builtin_ldexp(x, -unit), mode));
    bool to_zero = rounded(__builtin_copysign(0.75, x), mode) == 0;
    if (units * __builtin_ldexp(1, unit) >= 0x1p16)
        return sign | (to_zero ? 0x7bff : 0x7c00);
    return sign | ((unit + 24) << 10) + (ushort)units;
}
#define VLOAD_HALF_(f, stride, i, p) \
    ({ __auto_type p_ = (p); RESULT_(f((size_t)0, p_)) \
       const ushort *from_ = (const ushort *)(size_t)(p_ + stride * (size_t)(i)); \
       EACH_(R_, AT_(R_, r_) = from_half(from_[i_])) r_; })
#define VSTORE_HALF_(f, stride, mode, x, i, p) \
    ({ LET_1_(x) __auto_type p_ = (p); CHECK_(f(x_, (size_t)0, p_)); \
       ushort *to_ = (ushort *)(size_t)(p_ + stride * (size_t)(i)); \
       EACH_(X_, to_[i_] = to_half(AT_(X_, x_), TO_##mode)) })
