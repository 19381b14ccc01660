// SPDX-License-Identifier: MIT
// Calls every built-in function of OpenCL C 1.2 that engine/opencl/prelude.cl defines. A kernel
// FUNCTION__RESULT_ARGUMENT__RESULT_ARGUMENT... reads from `in`, which builtins.c fills, and writes
// up to 12 arrays of N results for each pair of types. Most use a scalar and vectors of 3 and 8.
// clang-format off
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define N 240 // a multiple of 2, 3 and 16
enum { IN_char, IN_uchar, IN_short, IN_ushort, IN_int, IN_uint, IN_long, IN_ulong, IN_float,
    IN_double };
// The arrays of each type: TAME has numbers between 0 and 100, and XN, YN, ZN are X, Y, Z without
// infinities and NaN.
enum { X, Y, Z, TAME, XN, YN, ZN, ARRAYS };
enum { AT_1, AT_2, AT_3, AT_4, AT_8, AT_16, MORE }; // the array of results of each size
#define IN(T, k) IN_(T, k)
#define IN_(T, k) ((__global const T *)(in + (IN_##T * ARRAYS + k) * N * 8))
#define OUT(T, k) ((__global T *)out + (k) * N)
#define vload1(i, p) (p)[i]
#define vstore1(x, i, p) (p)[i] = (x)

#define KERNEL(name) \
    __kernel void name(__global const uchar *in, __global uchar *out) \
    { const size_t i = get_global_id(0);
#define NEXT out += 12 * N * 8;
#define STORE(n, R, value) if (i < N / n) vstore##n(value, i, OUT(R, AT_##n));
#define SIZES(S, f, R, T) S(1, f, R, T) S(3, f, R, T) S(8, f, R, T)
#define ALL_SIZES(S, f, R, T) SIZES(S, f, R, T) S(2, f, R, T) S(4, f, R, T) S(16, f, R, T)
#define SMALL(S, f, R, T) S(1, f, R, T) S(2, f, R, T) S(3, f, R, T) S(4, f, R, T)
#define LOAD(n, T, k) vload##n(i, IN(T, k))

#define S_ONE(n, f, R, T) STORE(n, R, f(LOAD(n, T, X)))
#define S_TWO(n, f, R, T) STORE(n, R, f(LOAD(n, T, X), LOAD(n, T, Y)))
#define S_THREE(n, f, R, T) STORE(n, R, f(LOAD(n, T, X), LOAD(n, T, Y), LOAD(n, T, Z)))
#define ONE(f, R, T) SIZES(S_ONE, f, R, T)
#define TWO(f, R, T) SIZES(S_TWO, f, R, T)
#define THREE(f, R, T) SIZES(S_THREE, f, R, T)
#define ALL(f, R, T) ALL_SIZES(S_THREE, f, R, T)
#define SINGLE(BODY, f, R, T) KERNEL(f##__##R##_##T) BODY(f, R, T) }
#define REAL(BODY, f) \
    KERNEL(f##__float_float__double_double) BODY(f, float, float) NEXT BODY(f, double, double) }
#define INTEGER(BODY, f) \
    KERNEL(f##__char_char__uchar_uchar__short_short__ushort_ushort \
           ##__int_int__uint_uint__long_long__ulong_ulong) \
    BODY(f, char, char) NEXT BODY(f, uchar, uchar) NEXT BODY(f, short, short) NEXT \
    BODY(f, ushort, ushort) NEXT BODY(f, int, int) NEXT BODY(f, uint, uint) NEXT \
    BODY(f, long, long) NEXT BODY(f, ulong, ulong) }
#define UNSIGNED(BODY, f) \
    KERNEL(f##__uchar_char__uchar_uchar__ushort_short__ushort_ushort \
           ##__uint_int__uint_uint__ulong_long__ulong_ulong) \
    BODY(f, uchar, char) NEXT BODY(f, uchar, uchar) NEXT BODY(f, ushort, short) NEXT \
    BODY(f, ushort, ushort) NEXT BODY(f, uint, int) NEXT BODY(f, uint, uint) NEXT \
    BODY(f, ulong, long) NEXT BODY(f, ulong, ulong) }

// ---- math ---------------------------------------------------------------------------------------
REAL(ONE, acos) REAL(ONE, acosh) REAL(ONE, acospi) REAL(ONE, asin) REAL(ONE, asinh)
    REAL(ONE, asinpi)
REAL(ONE, atan) REAL(ONE, atanh) REAL(ONE, atanpi) REAL(ONE, cbrt) REAL(ONE, ceil) REAL(ONE, cos)
REAL(ONE, cosh) REAL(ONE, cospi) REAL(ONE, erf) REAL(ONE, erfc) REAL(ONE, exp) REAL(ONE, exp2)
REAL(ONE, exp10) REAL(ONE, expm1) REAL(ONE, fabs) REAL(ONE, floor) REAL(ONE, lgamma) REAL(ONE, log)
REAL(ONE, log10) REAL(ONE, log1p) REAL(ONE, log2) REAL(ONE, logb) REAL(ONE, rint) REAL(ONE, round)
REAL(ONE, rsqrt) REAL(ONE, sin) REAL(ONE, sinh) REAL(ONE, sinpi) REAL(ONE, sqrt) REAL(ONE, tan)
REAL(ONE, tanh) REAL(ONE, tanpi) REAL(ONE, tgamma) REAL(ONE, trunc) REAL(ONE, degrees)
REAL(ONE, radians) REAL(ONE, sign)
SINGLE(ONE, ilogb, int, float) SINGLE(ONE, ilogb, int, double) SINGLE(ONE, nan, float, uint)
    SINGLE(ONE, nan, double, ulong)
SINGLE(ONE, half_cos, float, float) SINGLE(ONE, half_exp, float, float)
    SINGLE(ONE, half_exp2, float, float)
SINGLE(ONE, half_exp10, float, float) SINGLE(ONE, half_log, float, float)
    SINGLE(ONE, half_log2, float, float)
SINGLE(ONE, half_log10, float, float) SINGLE(ONE, half_recip, float, float)
    SINGLE(ONE, half_rsqrt, float, float)
SINGLE(ONE, half_sin, float, float) SINGLE(ONE, half_sqrt, float, float)
    SINGLE(ONE, half_tan, float, float)
SINGLE(ONE, native_cos, float, float) SINGLE(ONE, native_exp, float, float)
    SINGLE(ONE, native_exp2, float, float)
SINGLE(ONE, native_exp10, float, float) SINGLE(ONE, native_log, float, float)
    SINGLE(ONE, native_log2, float, float)
SINGLE(ONE, native_log10, float, float) SINGLE(ONE, native_recip, float, float)
    SINGLE(ONE, native_rsqrt, float, float)
SINGLE(ONE, native_sin, float, float) SINGLE(ONE, native_sqrt, float, float)
    SINGLE(ONE, native_tan, float, float)

REAL(TWO, atan2) REAL(TWO, atan2pi) REAL(TWO, copysign) REAL(TWO, fdim) REAL(TWO, fmax)
    REAL(TWO, fmin)
REAL(TWO, fmod) REAL(TWO, hypot) REAL(TWO, maxmag) REAL(TWO, minmag) REAL(TWO, nextafter)
    REAL(TWO, pow)
REAL(TWO, powr) REAL(TWO, remainder) REAL(TWO, step)
SINGLE(TWO, half_divide, float, float) SINGLE(TWO, half_powr, float, float)
SINGLE(TWO, native_divide, float, float) SINGLE(TWO, native_powr, float, float)
REAL(ALL, fma) REAL(THREE, mad) REAL(THREE, mix)

#define S_POWER(n, f, R, T) STORE(n, R, f(LOAD(n, T, X), LOAD(n, int, TAME) - 50))
#define POWER(f, R, T) SIZES(S_POWER, f, R, T)
REAL(POWER, ldexp) REAL(POWER, pown) REAL(POWER, rootn)

// Functions whose result is left open for NaN, and for bounds that are not in order.
#define S_NUMBERS_2(n, f, R, T) STORE(n, R, f(LOAD(n, T, XN), LOAD(n, T, YN)))
#define S_NUMBERS_3(n, f, R, T) STORE(n, R, f(LOAD(n, T, XN), LOAD(n, T, YN), LOAD(n, T, ZN)))
#define NUMBERS_2(f, R, T) SIZES(S_NUMBERS_2, f, R, T)
#define NUMBERS_3(f, R, T) SIZES(S_NUMBERS_3, f, R, T)
#define max_of_numbers(x, y) max(x, y)
#define min_of_numbers(x, y) min(x, y)
#define clamped(x, y, z) clamp(x, min(y, z), max(y, z))
#define clamped_number(x, y, z) clamped(x, y, z)
#define smooth(x, y, z) smoothstep(fmin(x, y), fmax(x, y) + 1, z)
REAL(NUMBERS_2, max_of_numbers) REAL(NUMBERS_2, min_of_numbers)
REAL(NUMBERS_3, clamped_number) REAL(NUMBERS_3, smooth)

// A vector and scalars.
#define S_SCALAR(n, f, R, T) STORE(n, R, f(LOAD(n, T, XN), IN(T, YN)[i]))
#define S_EDGE(n, f, R, T) STORE(n, R, f(IN(T, YN)[i], LOAD(n, T, XN)))
#define SCALAR(f, R, T) SIZES(S_SCALAR, f, R, T)
#define EDGE(f, R, T) SIZES(S_EDGE, f, R, T)
#define fmax_scalar(x, y) fmax(x, y)
#define fmin_scalar(x, y) fmin(x, y)
#define max_scalar(x, y) max(x, y)
#define min_scalar(x, y) min(x, y)
#define clamp_scalar(x, y) clamp(x, y, add_sat(y, y))
#define max_number(x, y) max(x, y)
#define min_number(x, y) min(x, y)
#define clamp_number(x, y) clamp(x, min(y, y / 2), max(y, y / 2))
#define mix_scalar(x, y) mix(x, x + 1, y)
#define step_edge(edge, x) step(edge, x)
#define smooth_edge(edge, x) smoothstep(edge, fabs(edge) * 2 + 1, x)
#define ldexp_scalar(x, y) ldexp(x, (int)fmin(fmax((float)(y), -300.0f), 300.0f))
REAL(SCALAR, fmax_scalar) REAL(SCALAR, fmin_scalar) REAL(SCALAR, max_number)
    REAL(SCALAR, min_number)
REAL(SCALAR, clamp_number) REAL(SCALAR, mix_scalar) REAL(SCALAR, ldexp_scalar)
REAL(EDGE, step_edge) REAL(EDGE, smooth_edge)

// Two results.
typedef float float1; typedef double double1; typedef int int1;
#define S_PAIR(n, f, P, R, ...) \
    if (i < N / n) { \
        P##n to; \
        vstore##n(f(__VA_ARGS__, &to), i, OUT(R, AT_##n)); \
        vstore##n(to, i, (__global P *)OUT(R, MORE) + AT_##n * N); }
#define S_REAL_TO(n, f, R, T) S_PAIR(n, f, R, R, LOAD(n, T, X))
#define S_INT_TO(n, f, R, T) S_PAIR(n, f, int, R, LOAD(n, T, XN) + 3)
#define S_INT_TO_2(n, f, R, T) S_PAIR(n, f, int, R, LOAD(n, T, X), LOAD(n, T, Y))
#define REAL_TO(f, R, T) SIZES(S_REAL_TO, f, R, T)
#define INT_TO(f, R, T) SIZES(S_INT_TO, f, R, T)
#define INT_TO_2(f, R, T) SIZES(S_INT_TO_2, f, R, T)
REAL(REAL_TO, fract) REAL(REAL_TO, modf) REAL(REAL_TO, sincos)
#define gamma_r(x, p) lgamma_r(fmax(x, -2) - 0.25f, p) // its sign at a pole is left open
REAL(INT_TO, frexp) REAL(INT_TO, gamma_r) REAL(INT_TO_2, remquo)

// ---- integers -----------------------------------------------------------------------------------
UNSIGNED(ONE, abs) UNSIGNED(TWO, abs_diff)
INTEGER(ONE, clz) INTEGER(ONE, popcount)
INTEGER(TWO, add_sat) INTEGER(TWO, sub_sat) INTEGER(TWO, hadd) INTEGER(TWO, rhadd) INTEGER(TWO, max)
INTEGER(TWO, min) INTEGER(TWO, mul_hi) INTEGER(TWO, rotate)
INTEGER(THREE, mad_hi) INTEGER(THREE, mad_sat) INTEGER(THREE, clamped)
INTEGER(SCALAR, max_scalar) INTEGER(SCALAR, min_scalar)
#define mul24_small(x, y) mul24((x) >> 9, (y) >> 9)
#define mad24_small(x, y, z) mad24((x) >> 9, (y) >> 9, z)
SINGLE(TWO, mul24_small, int, int) SINGLE(TWO, mul24_small, uint, uint)
SINGLE(THREE, mad24_small, int, int) SINGLE(THREE, mad24_small, uint, uint)
#define S_UPSAMPLE(n, f, R, T) STORE(n, R, f(LOAD(n, T, X), LOAD(n, u##T, Y)))
#define S_UPSAMPLE_U(n, f, R, T) STORE(n, R, f(LOAD(n, T, X), LOAD(n, T, Y)))
#define UPSAMPLE(f, R, T) SIZES(S_UPSAMPLE, f, R, T)
#define UPSAMPLE_U(f, R, T) SIZES(S_UPSAMPLE_U, f, R, T)
SINGLE(UPSAMPLE, upsample, short, char) SINGLE(UPSAMPLE, upsample, int, short)
    SINGLE(UPSAMPLE, upsample, long, int)
SINGLE(UPSAMPLE_U, upsample, ushort, uchar) SINGLE(UPSAMPLE_U, upsample, uint, ushort)
SINGLE(UPSAMPLE_U, upsample, ulong, uint)

// ---- relations ----------------------------------------------------------------------------------
#define RELATION(BODY, f) \
    KERNEL(f##__int_float__long_double) BODY(f, int, float) NEXT BODY(f, long, double) }
RELATION(TWO, isequal) RELATION(TWO, isnotequal) RELATION(TWO, isgreater)
    RELATION(TWO, isgreaterequal)
RELATION(TWO, isless) RELATION(TWO, islessequal) RELATION(TWO, islessgreater)
    RELATION(TWO, isordered)
RELATION(TWO, isunordered)
RELATION(ONE, isnan) RELATION(ONE, isinf) RELATION(ONE, isfinite) RELATION(ONE, isnormal)
    RELATION(ONE, signbit)
#define S_ANY(n, f, R, T) if (i < N / n) OUT(R, AT_##n)[i] = f(LOAD(n, T, X));
#define ANY(f, T) KERNEL(f##__int_##T) SIZES(S_ANY, f, int, T) }
ANY(any, char) ANY(any, short) ANY(any, int) ANY(any, long)
ANY(all, char) ANY(all, short) ANY(all, int) ANY(all, long)
INTEGER(THREE, bitselect) REAL(THREE, bitselect)
#define S_SELECT(n, f, R, T) STORE(n, R, f(LOAD(n, R, X), LOAD(n, R, Y), LOAD(n, T, Z)))
#define SELECT(f, R, T) KERNEL(f##__##R##_##T) SIZES(S_SELECT, f, R, T) }
SELECT(select, char, char) SELECT(select, uchar, char) SELECT(select, short, ushort)
SELECT(select, ushort, short) SELECT(select, int, int) SELECT(select, uint, uint)
SELECT(select, long, long) SELECT(select, ulong, ulong) SELECT(select, float, int)
SELECT(select, double, ulong)

// ---- shuffles -----------------------------------------------------------------------------------
#define FIRST(n, T, k) vload##n(i % (N / n), IN(T, k))
#define SHUFFLE(T, U) \
    KERNEL(shuffle__##T##_##U) \
    STORE(2, T, shuffle(FIRST(16, T, X), FIRST(2, U, Y))) \
    STORE(4, T, shuffle(FIRST(2, T, X), FIRST(4, U, Y))) \
    STORE(8, T, shuffle(FIRST(8, T, X), FIRST(8, U, Y))) \
    STORE(16, T, shuffle(FIRST(4, T, X), FIRST(16, U, Y))) } \
    KERNEL(shuffle2__##T##_##U) \
    STORE(2, T, shuffle2(FIRST(16, T, X), FIRST(16, T, Z), FIRST(2, U, Y))) \
    STORE(4, T, shuffle2(FIRST(2, T, X), FIRST(2, T, Z), FIRST(4, U, Y))) \
    STORE(8, T, shuffle2(FIRST(8, T, X), FIRST(8, T, Z), FIRST(8, U, Y))) \
    STORE(16, T, shuffle2(FIRST(4, T, X), FIRST(4, T, Z), FIRST(16, U, Y))) }
SHUFFLE(uchar, uchar) SHUFFLE(short, ushort) SHUFFLE(float, uint) SHUFFLE(double, ulong)
    SHUFFLE(int, uint)

// ---- geometry -----------------------------------------------------------------------------------
#define S_MEASURE(n, f, R, T) if (i < N / n) OUT(R, AT_##n)[i] = f(LOAD(n, T, TAME));
#define S_MEASURE_2(n, f, R, T) if (i < N / n) OUT(R, AT_##n)[i] = \
    f(LOAD(n, T, TAME), LOAD(n, T, TAME) * 3 - 1);
#define S_DIRECTION(n, f, R, T) STORE(n, R, f(LOAD(n, T, TAME) - 50))
#define MEASURE(f, R, T) SMALL(S_MEASURE, f, R, T)
#define MEASURE_2(f, R, T) SMALL(S_MEASURE_2, f, R, T)
#define DIRECTION(f, R, T) SMALL(S_DIRECTION, f, R, T)
#define CROSS(f, R, T) \
    STORE(3, R, f(LOAD(3, T, TAME), LOAD(3, T, TAME).zxy)) \
    STORE(4, R, f(LOAD(4, T, TAME), LOAD(4, T, TAME).wzyx))
REAL(MEASURE, length) REAL(MEASURE_2, distance) REAL(MEASURE_2, dot) REAL(DIRECTION, normalize)
    REAL(CROSS, cross)
SINGLE(MEASURE, fast_length, float, float) SINGLE(MEASURE_2, fast_distance, float, float)
    SINGLE(DIRECTION, fast_normalize, float, float)

// ---- conversions --------------------------------------------------------------------------------
#define S_CONVERT(n, f, R, T) STORE(n, R, convert_##R##n(LOAD(n, T, TAME)))
#define convert_char1 convert_char
#define convert_uchar1 convert_uchar
#define convert_short1 convert_short
#define convert_ushort1 convert_ushort
#define convert_int1 convert_int
#define convert_uint1 convert_uint
#define convert_long1 convert_long
#define convert_ulong1 convert_ulong
#define convert_float1 convert_float
#define convert_double1 convert_double
#define S_ROUND(R, T, from, suffix, k) \
    OUT(R, MORE + k)[i] = convert_##R##suffix(IN(T, from)[i]); \
    if (i < N / 16) vstore16(convert_##R##16##suffix(LOAD(16, T, from)), i, OUT(R, MORE + k + 1));
#define FROM(BODY, f, R) \
    KERNEL(f##__##R##_char__##R##_uchar__##R##_short__##R##_ushort__##R##_int \
           ##__##R##_uint__##R##_long__##R##_ulong__##R##_float__##R##_double) \
    BODY(R, char) NEXT BODY(R, uchar) NEXT BODY(R, short) NEXT BODY(R, ushort) NEXT BODY(R, int) \
    NEXT \
    BODY(R, uint) NEXT BODY(R, long) NEXT BODY(R, ulong) NEXT BODY(R, float) NEXT BODY(R, double) }
#define PLAIN(R, T) ALL_SIZES(S_CONVERT, f, R, T) \
    S_ROUND(R, T, TAME, _rte, 0) S_ROUND(R, T, TAME, _rtp, 2) S_ROUND(R, T, TAME, _rtn, 4)
#define ROUNDED(R, T) S_ROUND(R, T, X, _rte, 0) S_ROUND(R, T, X, _rtz, 2) S_ROUND(R, T, X, _rtp, 4)
#define SATURATED(R, T) S_ROUND(R, T, X, _sat, 0) S_ROUND(R, T, X, _sat_rte, 2) \
    S_ROUND(R, T, X, _sat_rtn, 4)
FROM(PLAIN, convert, char) FROM(SATURATED, convert_sat, char)
FROM(PLAIN, convert, uchar) FROM(SATURATED, convert_sat, uchar)
FROM(PLAIN, convert, short) FROM(SATURATED, convert_sat, short)
FROM(PLAIN, convert, ushort) FROM(SATURATED, convert_sat, ushort)
FROM(PLAIN, convert, int) FROM(SATURATED, convert_sat, int)
FROM(PLAIN, convert, uint) FROM(SATURATED, convert_sat, uint)
FROM(PLAIN, convert, long) FROM(SATURATED, convert_sat, long)
FROM(PLAIN, convert, ulong) FROM(SATURATED, convert_sat, ulong)
FROM(PLAIN, convert, float) FROM(ROUNDED, convert_any, float)
FROM(PLAIN, convert, double) FROM(ROUNDED, convert_any, double)

// ---- memory: half, and the address spaces -------------------------------------------------------
#define HALF_IN ((__global const half *)IN(ushort, X))
#define HALF_OUT(k) ((__global half *)out + (k) * N)
KERNEL(vload_half__float_ushort)
    OUT(float, AT_1)[i] = vload_half(i, HALF_IN);
    STORE(2, float, vload_half2(i, HALF_IN)) STORE(3, float, vload_half3(i, HALF_IN))
    STORE(4, float, vload_half4(i, HALF_IN)) STORE(8, float, vload_half8(i, HALF_IN))
    STORE(16, float, vloada_half16(i, HALF_IN))
    if (i < N / 4) vstore3(vloada_half3(i, HALF_IN), i, OUT(float, MORE));
}
#define HALVES(T) \
    KERNEL(vstore_half__ushort_##T) \
        vstore_half(IN(T, XN)[i], i, HALF_OUT(0)); vstore_half_rtz(IN(T, XN)[i], i, HALF_OUT(1)); \
        vstore_half_rtp(IN(T, XN)[i], i, HALF_OUT(2)); \
    vstore_half_rtn(IN(T, XN)[i], i, HALF_OUT(3)); \
        if (i < N / 2) vstore_half2(LOAD(2, T, YN), i, HALF_OUT(4)); \
        if (i < N / 3) vstore_half3_rte(LOAD(3, T, YN), i, HALF_OUT(5)); \
        if (i < N / 4) vstore_half4(LOAD(4, T, TAME), i, HALF_OUT(6)); \
        if (i < N / 8) vstorea_half8_rtz(LOAD(8, T, TAME), i, HALF_OUT(7)); \
        if (i < N / 16) vstorea_half16_rtp(LOAD(16, T, TAME), i, HALF_OUT(8)); \
        if (i < N / 4) vstorea_half3(LOAD(3, T, TAME), i, HALF_OUT(9)); }
HALVES(float) HALVES(double)

#define S_SPACES(n, f, R, T) \
    if (i < N / n) { \
        vstore##n(LOAD(n, T, X), 0, own_##T); \
        vstore##n(vload##n(0, own_##T), 0, tile_##T[get_local_id(0)]); \
        vstore##n(vload##n(0, tile_##T[get_local_id(0)]), i, OUT(T, AT_##n)); }
#define SPACES(f, R, T) __local T tile_##T[16][16]; T own_##T[16]; ALL_SIZES(S_SPACES, f, R, T)
SINGLE(SPACES, spaces, int, int) SINGLE(SPACES, spaces, ulong, ulong)
SINGLE(SPACES, spaces, float, float) SINGLE(SPACES, spaces, double, double)
__constant float table[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
KERNEL(constants__float_float)
    OUT(float, AT_1)[i] = table[i % 16];
    STORE(2, float, vload2(i % 8, table)) STORE(3, float, vload3(i % 5, table))
    STORE(4, float, vload4(i % 4, table))
    STORE(8, float, vload8(i % 2, table)) STORE(16, float, vload16(0, table))
}

// ---- work-groups --------------------------------------------------------------------------------
#define ATOMIC(k, call) \
    { __global TYPE *p = OUT(TYPE, 2 * k) + i; *p = IN(TYPE, X)[i]; TYPE old = call; \
    OUT(TYPE, 2 * k + 1)[i] = old; }
#define TYPE int
KERNEL(atomics__int_int)
    const int v = IN(int, Y)[i], w = IN(int, Z)[i];
    ATOMIC(0, atomic_add(p, v)) ATOMIC(1, atomic_sub(p, v)) ATOMIC(2, atomic_min(p, v))
    ATOMIC(3, atomic_max(p, v))
    ATOMIC(4, atomic_xchg(p, v)) ATOMIC(5, atomic_cmpxchg(p, i % 2 ? IN(int, X)[i] : v, w))
}
KERNEL(atom__int_int)
    const int v = IN(int, Y)[i];
    ATOMIC(0, atom_add(p, v)) ATOMIC(1, atom_and(p, v)) ATOMIC(2, atom_or(p, v))
    ATOMIC(3, atom_xor(p, v))
    ATOMIC(4, atom_inc(p)) ATOMIC(5, atom_dec(p))
}
#undef TYPE
#define TYPE uint
KERNEL(atomics__uint_uint)
    const uint v = IN(uint, Y)[i];
    ATOMIC(0, atomic_min(p, v)) ATOMIC(1, atomic_max(p, v)) ATOMIC(2, atomic_and(p, v))
    ATOMIC(3, atomic_or(p, v))
    ATOMIC(4, atomic_xor(p, v)) ATOMIC(5, atomic_inc(p))
}
#undef TYPE
#define TYPE float
KERNEL(atomics__float_float)
    ATOMIC(0, atomic_xchg(p, IN(float, Y)[i]))
}
KERNEL(local_atomics__int_int)
    __local int sum[4];
    const size_t l = get_local_id(0);
    if (l < 4) sum[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum[0], IN(int, X)[i]); atomic_inc(&sum[1]); atomic_max(&sum[2], IN(int, X)[i]);
    atomic_xor(&sum[3], IN(int, Y)[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    OUT(int, 0)[i] = sum[l % 4];
    mem_fence(CLK_LOCAL_MEM_FENCE); read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
}
#define COPIES(f, R, T) \
    __local T tile_##T[48]; \
    { const size_t l = get_local_id(0), first = i - l; \
      prefetch(IN(T, X) + first, 16); \
      event_t events[2]; \
      events[0] = async_work_group_copy(tile_##T, IN(T, X) + first, 16, 0); \
      events[1] = async_work_group_strided_copy(tile_##T + 16, IN(T, Y), 16, 15, 0); \
      wait_group_events(2, events); \
      tile_##T[32 + l] = tile_##T[l]; \
      barrier(CLK_LOCAL_MEM_FENCE); \
      event_t e = async_work_group_copy(OUT(T, 0) + first, tile_##T + 16, 16, 0); \
      e = async_work_group_strided_copy(OUT(T, 1) + 2 * first, tile_##T + 32, 16, 2, e); \
      wait_group_events(1, &e); }
INTEGER(COPIES, copies) REAL(COPIES, copies_real)
KERNEL(vector_copies__float_float)
    __local float4 tile[16];
    event_t e =
    async_work_group_copy(tile, (__global const float4 *)IN(float, X) + i - get_local_id(0), 16, 0);
    wait_group_events(1, &e);
    if (i < N / 4) vstore4(tile[get_local_id(0)], i, OUT(float, 0));
}
