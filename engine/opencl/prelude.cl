// SPDX-License-Identifier: MIT
// clang-format off
// The built-in functions of OpenCL C 1.2, included before a kernel. clang declares them for all
// their types. A macro of the same name evaluates the arguments once, lets clang's declaration
// check them and give the type of the result, and computes it. All code is therefore the kernel's,
// at the line of the call. A function without a macro stays an undefined symbol, which the link
// reports. Variables end in an underscore so that they differ from a kernel's.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma clang diagnostic ignored "-Wmacro-redefined" // a kernel may define its own max()
#define OWN static inline __attribute__((overloadable, always_inline, nodebug))
#define DECLARED __attribute__((overloadable)) // only for __typeof__
#define CHECK_(call) if (0) (void)(call) // by clang's declaration

// ---- work-groups: engine/opencl/device.cpp ------------------------------------------------------
void emulated_barrier(__constant const char *file, int line, int number, uint flags);
void emulated_fence(uint flags);
void emulated_before_atomic(size_t address);
void emulated_after_atomic(size_t address);
void emulated_wait(int n, size_t events, __constant const char *file, int line, int number);
event_t emulated_copy(size_t to, size_t from, size_t count, size_t bytes, size_t to_stride,
                      size_t from_stride, event_t event, __constant const char *file, int line);
#define barrier(flags) emulated_barrier(__FILE__, __LINE__, __COUNTER__, flags)
#define mem_fence(flags) emulated_fence(flags)
#define read_mem_fence(flags) emulated_fence(flags)
#define write_mem_fence(flags) emulated_fence(flags)
#define prefetch(p, n) ((void)(p), (void)(n))

OWN int is_local(const __local void *p) { return 1; }
OWN int is_local(const __global void *p) { return 0; }
#define COPY_(to, from, n, to_stride, from_stride, event, check) \
    ({ __auto_type to_ = (to); __auto_type from_ = (from); event_t event_ = (event); \
       size_t n_ = (n); CHECK_(check); \
       emulated_copy((size_t)to_, (size_t)from_, n_, sizeof(*to_), to_stride, from_stride, event_, \
                     __FILE__, __LINE__); })
#define async_work_group_copy(to, from, n, event) \
    COPY_(to, from, n, 1, 1, event, async_work_group_copy(to_, from_, n_, event_))
#define async_work_group_strided_copy(to, from, n, stride, event) \
    ({ size_t stride_ = (stride); \
       COPY_(to, from, n, is_local(to_) ? 1 : stride_, is_local(to_) ? stride_ : 1, event, \
            async_work_group_strided_copy(to_, from_, n_, stride_, event_)); })
#define wait_group_events(n, list) \
    emulated_wait(n, (size_t)(list), __FILE__, __LINE__, __COUNTER__)

// ---- atomics: int and uint, and float for xchg --------------------------------------------------
#define ATOMIC_(call, p, v, change) \
    ({ __auto_type p_ = (p); __auto_type a_ = (v); \
       __typeof__(call) v_ = a_, old_; \
       emulated_before_atomic((size_t)p_); \
       change; \
       emulated_after_atomic((size_t)p_); \
       old_; })
// The builtins take pointers into one space, of which the second is not volatile.
#define PLAIN(T) DECLARED __global T *plain(volatile __global T *); \
    DECLARED __local T *plain(volatile __local T *);
PLAIN(int) PLAIN(uint) PLAIN(float)
#define IN_SPACE_(q) (__typeof__(plain(p_)))(size_t)(q)
#define COMPARE_AND_SWAP_(value) \
    __atomic_compare_exchange_n(p_, IN_SPACE_(&old_), value, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
#define FETCH_(op) old_ = __atomic_fetch_##op(p_, v_, __ATOMIC_ACQUIRE)
// ThreadSanitizer has no atomic minimum.
#define UPDATE_(value) \
    old_ = __atomic_load_n(p_, __ATOMIC_RELAXED); while (!COMPARE_AND_SWAP_(value))
#define atomic_add(p, v) ATOMIC_(atomic_add(p_, a_), p, v, FETCH_(add))
#define atomic_sub(p, v) ATOMIC_(atomic_sub(p_, a_), p, v, FETCH_(sub))
#define atomic_inc(p) atomic_add(p, 1)
#define atomic_dec(p) atomic_sub(p, 1)
#define atomic_and(p, v) ATOMIC_(atomic_and(p_, a_), p, v, FETCH_(and))
#define atomic_or(p, v) ATOMIC_(atomic_or(p_, a_), p, v, FETCH_(or))
#define atomic_xor(p, v) ATOMIC_(atomic_xor(p_, a_), p, v, FETCH_(xor))
#define atomic_min(p, v) ATOMIC_(atomic_min(p_, a_), p, v, UPDATE_(v_ < old_ ? v_ : old_))
#define atomic_max(p, v) ATOMIC_(atomic_max(p_, a_), p, v, UPDATE_(old_ < v_ ? v_ : old_))
#define atomic_xchg(p, v) \
    ATOMIC_(atomic_xchg(p_, a_), p, v, \
            __atomic_exchange(p_, IN_SPACE_(&v_), IN_SPACE_(&old_), __ATOMIC_ACQUIRE))
#define atomic_cmpxchg(p, was, v) \
    ({ __auto_type was_ = (was); \
       ATOMIC_(atomic_cmpxchg(p_, was_, a_), p, v, old_ = was_; COMPARE_AND_SWAP_(v_)); })
#define atom_add(p, v) atomic_add(p, v)
#define atom_sub(p, v) atomic_sub(p, v)
#define atom_inc(p) atomic_inc(p)
#define atom_dec(p) atomic_dec(p)
#define atom_and(p, v) atomic_and(p, v)
#define atom_or(p, v) atomic_or(p, v)
#define atom_xor(p, v) atomic_xor(p, v)
#define atom_min(p, v) atomic_min(p, v)
#define atom_max(p, v) atomic_max(p, v)
#define atom_xchg(p, v) atomic_xchg(p, v)
#define atom_cmpxchg(p, was, v) atomic_cmpxchg(p, was, v)

// ---- the elements of a scalar or a vector -------------------------------------------------------
#define INTEGERS(F) F(char, uchar) F(uchar, uchar) F(short, ushort) F(ushort, ushort) \
    F(int, uint) F(uint, uint) F(long, ulong) F(ulong, ulong)
#define REALS(F) F(float, uint) F(double, ulong)
// elements() of a vector has the type of a pointer to the array of its elements.
#define ELEMENTS(T, U) DECLARED T (*elements(T))[1]; DECLARED T (*elements(T##2))[2]; \
    DECLARED T (*elements(T##3))[3]; DECLARED T (*elements(T##4))[4]; \
    DECLARED T (*elements(T##8))[8]; DECLARED T (*elements(T##16))[16];
INTEGERS(ELEMENTS) REALS(ELEMENTS)
#define ELEMENT_(V) __typeof__(**(V)0)
#define COUNT_(V) (sizeof(*(V)0) / sizeof(**(V)0))
#define AT_(V, v) (*(V)&v)[i_ < COUNT_(V) ? i_ : 0] // a scalar goes with each element of a vector
// Repeats a statement for i_ = 0 ... COUNT_(V) - 1, without a branch even at -O0.
#define STEP_(i, statement) { enum { i_ = i }; statement; }
#define EACH_(V, statement) \
    STEP_(0, statement) \
    if (COUNT_(V) > 1) STEP_(1, statement) \
    if (COUNT_(V) > 2) STEP_(2, statement) \
    if (COUNT_(V) > 3) STEP_(3, statement) \
    if (COUNT_(V) > 4) { \
        STEP_(4, statement) STEP_(5, statement) STEP_(6, statement) STEP_(7, statement) } \
    if (COUNT_(V) > 8) { \
        STEP_(8, statement) STEP_(9, statement) STEP_(10, statement) STEP_(11, statement) \
        STEP_(12, statement) STEP_(13, statement) STEP_(14, statement) STEP_(15, statement) }

// The macros below take the function's name f. EACH_n_ computes one_f of each element; WHOLE_n_
// computes a value from x_, y_ and z_, which have the type of the result; RELATION_ compares them.
#define LET_1_(x) __auto_type x_ = (x); typedef __typeof__(elements(x_)) X_;
#define LET_2_(x, y) LET_1_(x) __auto_type y_ = (y); typedef __typeof__(elements(y_)) Y_;
#define LET_3_(x, y, z) LET_2_(x, y) __auto_type z_ = (z); typedef __typeof__(elements(z_)) Z_;
#define RESULT_(call) __typeof__(call) r_; typedef __typeof__(elements(r_)) R_;
#define EACH_1_(f, x) \
    ({ LET_1_(x) RESULT_(f(x_)) EACH_(R_, AT_(R_, r_) = one_##f(AT_(X_, x_))) r_; })
#define EACH_2_(f, x, y) \
    ({ LET_2_(x, y) RESULT_(f(x_, y_)) \
       EACH_(R_, AT_(R_, r_) = one_##f(AT_(X_, x_), (ELEMENT_(X_))AT_(Y_, y_))) r_; })
#define EACH_3_(f, x, y, z) \
    ({ LET_3_(x, y, z) RESULT_(f(x_, y_, z_)) \
       EACH_(R_, AT_(R_, r_) = one_##f(AT_(X_, x_), AT_(Y_, y_), AT_(Z_, z_))) r_; })
#define EACH_MIXED_(f, x, y) \
    ({ LET_2_(x, y) RESULT_(f(x_, y_)) \
       EACH_(R_, AT_(R_, r_) = one_##f(AT_(X_, x_), AT_(Y_, y_))) r_; })
#define EACH_TO_(f, p, call, ...) /* a second result goes to *p */ \
    ({ __auto_type p_ = (p); __VA_ARGS__ RESULT_(call) \
       __typeof__(+*p_) to_; typedef __typeof__(elements(to_)) P_; \
       EACH_(R_, AT_(R_, r_) = one_##f) *p_ = to_; r_; })
#define IS_(f, x) /* true is 1 in a scalar, -1 in a vector */ \
    ({ LET_1_(x) RESULT_(f(x_)) \
       EACH_(R_, AT_(R_, r_) = (COUNT_(R_) == 1 ? 1 : -1) * !!__builtin_##f(AT_(X_, x_))) r_; })
#define WHOLE_1_(f, x, value) \
    ({ __auto_type a_ = (x); typedef __typeof__(f(a_)) T_; T_ x_ = (T_)a_; (T_)(value); })
#define WHOLE_2_(f, x, y, value) \
    ({ __auto_type a_ = (x); __auto_type b_ = (y); typedef __typeof__(f(a_, b_)) T_; \
       T_ x_ = (T_)a_, y_ = (T_)b_; (T_)(value); })
#define WHOLE_3_(f, x, y, z, value) \
    ({ __auto_type a_ = (x); __auto_type b_ = (y); __auto_type c_ = (z); \
       typedef __typeof__(f(a_, b_, c_)) T_; T_ x_ = (T_)a_, y_ = (T_)b_, z_ = (T_)c_; \
       (T_)(value); })
#define RELATION_(f, x, y, value) \
    ({ __auto_type x_ = (x); __auto_type y_ = (y); (__typeof__(f(x_, y_)))(value); })

// ---- vectors in memory, aligned as their elements are -------------------------------------------
#define VLOAD_(n, i, p) \
    ({ __auto_type q_ = (p); \
       typedef __typeof__(vload##n((size_t)0, q_)) V_ __attribute__((aligned(sizeof(*q_)))); \
       *(const V_ *)(size_t)(q_ + n * (size_t)(i)); })
#define VSTORE_(n, x, i, p) \
    ({ __auto_type p_ = (p); __auto_type x_ = (x); CHECK_(vstore##n(x_, (size_t)0, p_)); \
       typedef __typeof__(vload##n((size_t)0, p_)) V_ __attribute__((aligned(sizeof(*p_)))); \
       *(V_ *)(size_t)(p_ + n * (size_t)(i)) = x_; })
#define vload2(i, p) VLOAD_(2, i, p)
#define vload4(i, p) VLOAD_(4, i, p)
#define vload8(i, p) VLOAD_(8, i, p)
#define vload16(i, p) VLOAD_(16, i, p)
#define vload3(i, p) \
    ({ __auto_type q_ = (p) + 3 * (size_t)(i); \
       (__typeof__(vload3((size_t)0, q_)))(q_[0], q_[1], q_[2]); })
#define vstore2(x, i, p) VSTORE_(2, x, i, p)
#define vstore4(x, i, p) VSTORE_(4, x, i, p)
#define vstore8(x, i, p) VSTORE_(8, x, i, p)
#define vstore16(x, i, p) VSTORE_(16, x, i, p)
#define vstore3(x, i, p) \
    ({ __auto_type p_ = (p) + 3 * (size_t)(i); __auto_type x_ = (x); \
       CHECK_(vstore3(x_, (size_t)0, p_)); \
       p_[0] = x_.s0; p_[1] = x_.s1; p_[2] = x_.s2; })

// ---- integers: by operators of vectors ----------------------------------------------------------
#define min(x, y) WHOLE_2_(min, x, y, y_ < x_ ? y_ : x_)
#define max(x, y) WHOLE_2_(max, x, y, x_ < y_ ? y_ : x_)
#define clamp(x, low, high) WHOLE_3_(clamp, x, low, high, x_ < y_ ? y_ : z_ < x_ ? z_ : x_)
#define hadd(x, y) WHOLE_2_(hadd, x, y, (x_ >> (T_)1) + (y_ >> (T_)1) + (x_ & y_ & (T_)1))
#define rhadd(x, y) WHOLE_2_(rhadd, x, y, (x_ >> (T_)1) + (y_ >> (T_)1) + ((x_ | y_) & (T_)1))

// ---- integers: by elements ----------------------------------------------------------------------
#define BITS(T) (8 * sizeof(T))
#define MAX_OF(T) ((T)-1 > 0 ? (T)-1 : (T)((1UL << (BITS(T) - 1)) - 1))
#define MIN_OF(T) ((T)-1 > 0 ? 0 : (T)(1UL << (BITS(T) - 1)))
#define ONE_INTEGER(T, U) \
    OWN U one_abs(T x) { return x < 0 ? -(U)x : (U)x; } \
    OWN U one_abs_diff(T x, T y) { return x < y ? (U)y - (U)x : (U)x - (U)y; } \
    OWN T one_add_sat(T x, T y) \
    { T r; return !__builtin_add_overflow(x, y, &r) ? r : y < 0 ? MIN_OF(T) : MAX_OF(T); } \
    OWN T one_sub_sat(T x, T y) \
    { T r; return !__builtin_sub_overflow(x, y, &r) ? r : y > 0 ? MIN_OF(T) : MAX_OF(T); } \
    OWN T one_clz(T x) \
    { return x == 0 ? BITS(T) : __builtin_clzl((U)x) + BITS(T) - BITS(ulong); } \
    OWN T one_popcount(T x) { return __builtin_popcountl((U)x); } \
    OWN T one_rotate(T x, T n) \
    { return (U)x << (n & BITS(T) - 1) | (U)x >> (-(U)n & BITS(T) - 1); } \
    OWN T one_bitselect(T x, T y, T z) { return (x & ~z) | (y & z); }
INTEGERS(ONE_INTEGER)

// Products are exact in W.
#define ONE_PRODUCT(T, U, W) \
    OWN T one_mul_hi(T x, T y) { return (W)x * y >> BITS(T); } \
    OWN T one_mad_hi(T x, T y, T z) { return (U)((W)x * y >> BITS(T)) + (U)z; } \
    OWN T one_mad_sat(T x, T y, T z) \
    { W r = (W)x * y + z; return r < MIN_OF(T) ? MIN_OF(T) : r > MAX_OF(T) ? MAX_OF(T) : r; }
ONE_PRODUCT(char, uchar, int) ONE_PRODUCT(uchar, uchar, int)
ONE_PRODUCT(short, ushort, long) ONE_PRODUCT(ushort, ushort, long)
ONE_PRODUCT(int, uint, long) ONE_PRODUCT(uint, uint, ulong)
ONE_PRODUCT(long, ulong, __int128) ONE_PRODUCT(ulong, ulong, unsigned __int128)
#define ONE_UPSAMPLE(T, U, W) \
    OWN W one_upsample(T x, U y) { return (W)((ulong)x << BITS(T) | y); }
ONE_UPSAMPLE(char, uchar, short) ONE_UPSAMPLE(uchar, uchar, ushort)
ONE_UPSAMPLE(short, ushort, int) ONE_UPSAMPLE(ushort, ushort, uint)
ONE_UPSAMPLE(int, uint, long) ONE_UPSAMPLE(uint, uint, ulong)
#define ONE_24(T) \
    OWN T one_mul24(T x, T y) { return (uint)x * (uint)y; } \
    OWN T one_mad24(T x, T y, T z) { return (uint)x * (uint)y + (uint)z; }
ONE_24(int) ONE_24(uint)
#define abs(x) EACH_1_(abs, x)
#define clz(x) EACH_1_(clz, x)
#define popcount(x) EACH_1_(popcount, x)
#define abs_diff(x, y) EACH_2_(abs_diff, x, y)
#define add_sat(x, y) EACH_2_(add_sat, x, y)
#define sub_sat(x, y) EACH_2_(sub_sat, x, y)
#define rotate(x, y) EACH_2_(rotate, x, y)
#define mul_hi(x, y) EACH_2_(mul_hi, x, y)
#define mul24(x, y) EACH_2_(mul24, x, y)
#define mad_hi(x, y, z) EACH_3_(mad_hi, x, y, z)
#define mad_sat(x, y, z) EACH_3_(mad_sat, x, y, z)
#define mad24(x, y, z) EACH_3_(mad24, x, y, z)
#define upsample(x, y) EACH_MIXED_(upsample, x, y)

// ---- relations ----------------------------------------------------------------------------------
#define isequal(x, y) RELATION_(isequal, x, y, x_ == y_)
#define isnotequal(x, y) RELATION_(isnotequal, x, y, x_ != y_)
#define isgreater(x, y) RELATION_(isgreater, x, y, x_ > y_)
#define isgreaterequal(x, y) RELATION_(isgreaterequal, x, y, x_ >= y_)
#define isless(x, y) RELATION_(isless, x, y, x_ < y_)
#define islessequal(x, y) RELATION_(islessequal, x, y, x_ <= y_)
#define islessgreater(x, y) RELATION_(islessgreater, x, y, (x_ < y_) | (x_ > y_))
#define isordered(x, y) RELATION_(isordered, x, y, (x_ == x_) & (y_ == y_))
#define isunordered(x, y) RELATION_(isunordered, x, y, (x_ != x_) | (y_ != y_))
#define isnan(x) IS_(isnan, x)
#define isinf(x) IS_(isinf, x)
#define isfinite(x) IS_(isfinite, x)
#define isnormal(x) IS_(isnormal, x)
#define signbit(x) IS_(signbit, x)
#define any(x) ({ LET_1_(x) __typeof__(any(x_)) r_ = 0; EACH_(X_, r_ |= AT_(X_, x_) < 0) r_; })
#define all(x) ({ LET_1_(x) __typeof__(all(x_)) r_ = 1; EACH_(X_, r_ &= AT_(X_, x_) < 0) r_; })
#define select(x, y, z) \
    ({ __auto_type x_ = (x); __auto_type y_ = (y); __auto_type z_ = (z); \
       (__typeof__(select(x_, y_, z_)))(z_ ? y_ : x_); })
#define bitselect(x, y, z) EACH_3_(bitselect, x, y, z)
#define shuffle(x, mask) \
    ({ LET_2_(x, mask) RESULT_(shuffle(x_, y_)) \
       EACH_(R_, AT_(R_, r_) = (*(X_)&x_)[AT_(Y_, y_) & COUNT_(X_) - 1]) r_; })
#define shuffle2(x, y, mask) \
    ({ __auto_type z_ = (y); LET_2_(x, mask) RESULT_(shuffle2(x_, z_, y_)) \
       EACH_(R_, AT_(R_, r_) = (*(AT_(Y_, y_) & COUNT_(X_) ? (X_)&z_ : (X_)&x_)) \
                               [AT_(Y_, y_) & COUNT_(X_) - 1]) r_; })

// ---- real numbers: by operators of vectors ------------------------------------------------------
#define mad(x, y, z) WHOLE_3_(mad, x, y, z, x_ * y_ + z_)
#define mix(x, y, a) WHOLE_3_(mix, x, y, a, x_ + (y_ - x_) * z_)
#define step(edge, x) WHOLE_2_(step, edge, x, y_ < x_ ? (T_)0 : (T_)1)
#define smoothstep(low, high, x) \
    WHOLE_3_(smoothstep, low, high, x, ({ \
        T_ t_ = (z_ - x_) / (y_ - x_); t_ = t_ < (T_)0 ? (T_)0 : t_ > (T_)1 ? (T_)1 : t_; \
        t_ * t_ * ((T_)3 - (T_)2 * t_); }))
#define sign(x) \
    WHOLE_1_(sign, x, x_ > (T_)0 ? (T_)1 : x_ < (T_)0 ? (T_)-1 : x_ == x_ ? x_ : (T_)0)
#define degrees(x) WHOLE_1_(degrees, x, x_ * (T_)(180 / M_PI))
#define radians(x) WHOLE_1_(radians, x, x_ * (T_)(M_PI / 180))
#define half_divide(x, y) WHOLE_2_(half_divide, x, y, x_ / y_)
#define half_recip(x) WHOLE_1_(half_recip, x, (T_)1 / x_)
#define native_divide(x, y) WHOLE_2_(native_divide, x, y, x_ / y_)
#define native_recip(x) WHOLE_1_(native_recip, x, (T_)1 / x_)

// ---- real numbers: by elements, with libm -------------------------------------------------------
#define LIBM_1(name) OWN float one_##name(float x) { return __builtin_##name##f(x); } \
    OWN double one_##name(double x) { return __builtin_##name(x); }
#define LIBM_2(name) OWN float one_##name(float x, float y) { return __builtin_##name##f(x, y); } \
    OWN double one_##name(double x, double y) { return __builtin_##name(x, y); }
LIBM_1(acos) LIBM_1(acosh) LIBM_1(asin) LIBM_1(asinh) LIBM_1(atan) LIBM_1(atanh) LIBM_1(cbrt)
LIBM_1(ceil) LIBM_1(cos) LIBM_1(cosh) LIBM_1(erf) LIBM_1(erfc) LIBM_1(exp) LIBM_1(exp2)
LIBM_1(expm1) LIBM_1(fabs) LIBM_1(floor) LIBM_1(log) LIBM_1(log10) LIBM_1(log1p)
LIBM_1(log2) LIBM_1(logb) LIBM_1(rint) LIBM_1(round) LIBM_1(sin) LIBM_1(sinh) LIBM_1(sqrt)
LIBM_1(tan) LIBM_1(tanh) LIBM_1(tgamma) LIBM_1(trunc)
LIBM_2(atan2) LIBM_2(copysign) LIBM_2(fdim) LIBM_2(fmax) LIBM_2(fmin) LIBM_2(fmod) LIBM_2(hypot)
LIBM_2(nextafter) LIBM_2(pow) LIBM_2(remainder)

// Functions that libm lacks are computed in double, for float as well.
#define DOUBLE_1(f, value) OWN double one_##f(double x) { value; } \
    OWN float one_##f(float x) { return one_##f((double)x); }
#define DOUBLE_2(f, Y, y_float, value) OWN double one_##f(double x, Y y) { value; } \
    OWN float one_##f(float x, y_float y) { return one_##f((double)x, (Y)y); }
#define QUIET_NAN __builtin_nan("")
DOUBLE_1(rsqrt, return 1 / __builtin_sqrt(x))
DOUBLE_1(exp10, return __builtin_pow(10, x))
DOUBLE_1(acospi, return __builtin_acos(x) / M_PI)
DOUBLE_1(asinpi, return __builtin_asin(x) / M_PI)
DOUBLE_1(atanpi, return __builtin_atan(x) / M_PI)
DOUBLE_2(atan2pi, double, float, return __builtin_atan2(x, y) / M_PI)
DOUBLE_1(sinpi, double r = __builtin_remainder(x, 2); double a = __builtin_fabs(r);
         return __builtin_copysign(__builtin_sin(M_PI * (a > 0.5 ? 1 - a : a)), r))
DOUBLE_1(cospi, return one_sinpi(0.5 - __builtin_fabs(__builtin_remainder(x, 2))))
DOUBLE_1(tanpi, return one_sinpi(x) / one_cospi(x))
DOUBLE_2(pown, int, int, return __builtin_pow(x, y))
DOUBLE_2(powr, double, float, bool zero = y == 0 && (x == 0 || __builtin_isinf(x));
         bool one = x == 1 && __builtin_isinf(y);
         return !(x >= 0) || y != y || zero || one ? QUIET_NAN
                                                   : __builtin_pow(__builtin_fabs(x), y))
DOUBLE_2(rootn, int, int, double a = __builtin_fabs(x); double inverse = 1.0 / y;
         double r = __builtin_pow(a, inverse);
         if (a > 0 && __builtin_isfinite(a)) // corrects the error of the inverse
             r += r * __builtin_log(a) * __builtin_fma(-inverse, y, 1) * inverse;
         return y == 0 ? QUIET_NAN : y & 1 ? __builtin_copysign(r, x) : x < 0 ? QUIET_NAN : r)
DOUBLE_2(maxmag, double, float, double a = __builtin_fabs(x); double b = __builtin_fabs(y);
         return a > b ? x : b > a ? y : __builtin_fmax(x, y))
DOUBLE_2(minmag, double, float, double a = __builtin_fabs(x); double b = __builtin_fabs(y);
         return a < b ? x : b < a ? y : __builtin_fmin(x, y))
OWN float one_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
OWN double one_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
OWN float one_ldexp(float x, int n) { return __builtin_ldexpf(x, n); }
OWN double one_ldexp(double x, int n) { return __builtin_ldexp(x, n); }
OWN float one_nan(uint code) { return as_float(0x7fc00000 | code); }
OWN double one_nan(ulong code) { return as_double(0x7ff8000000000000 | code); }
double libm_lgamma_r(double x, int *sign) __asm__("lgamma_r");
// lgamma() of libm would race for signgam, so that lgamma_r() replaces it.
#define ONE_REAL(T, U) \
    OWN int one_ilogb(T x) { return x != x ? FP_ILOGBNAN : __builtin_ilogb(x); } \
    OWN T one_bitselect(T x, T y, T z) \
    { return __builtin_astype(one_bitselect(__builtin_astype(x, U), __builtin_astype(y, U), \
                                            __builtin_astype(z, U)), T); } \
    OWN T one_frexp(T x, int *to) { return __builtin_frexp(x, to); } \
    OWN T one_lgamma_r(T x, int *to) { return libm_lgamma_r(x, to); } \
    OWN T one_lgamma(T x) { int sign; return libm_lgamma_r(x, &sign); } \
    OWN T one_sincos(T x, T *to) { *to = one_cos(x); return one_sin(x); } \
    OWN T one_modf(T x, T *to) \
    { *to = one_trunc(x); return one_copysign(__builtin_isinf(x) ? 0 : x - *to, x); } \
    OWN T one_fract(T x, T *to) \
    { *to = one_floor(x); \
      return __builtin_isinf(x) ? one_copysign((T)0, x) \
             : x != x ? x : one_fmin(x - *to, one_nextafter((T)1, (T)0)); } \
    OWN T one_remquo(T x, T y, int *to) /* seven bits of the quotient */ \
    { double whole = 128.0 * y; \
      double part = __builtin_isinf(whole) ? x : __builtin_fmod(x, whole); \
      double r = __builtin_remainder(part, y); \
      *to = r != r || __builtin_isinf(y) ? 0 : (int)__builtin_rint((part - r) / y) % 128; \
      return r; }
REALS(ONE_REAL)
#define acos(x) EACH_1_(acos, x)
#define acosh(x) EACH_1_(acosh, x)
#define acospi(x) EACH_1_(acospi, x)
#define asin(x) EACH_1_(asin, x)
#define asinh(x) EACH_1_(asinh, x)
#define asinpi(x) EACH_1_(asinpi, x)
#define atan(x) EACH_1_(atan, x)
#define atanh(x) EACH_1_(atanh, x)
#define atanpi(x) EACH_1_(atanpi, x)
#define cbrt(x) EACH_1_(cbrt, x)
#define ceil(x) EACH_1_(ceil, x)
#define cos(x) EACH_1_(cos, x)
#define cosh(x) EACH_1_(cosh, x)
#define cospi(x) EACH_1_(cospi, x)
#define erf(x) EACH_1_(erf, x)
#define erfc(x) EACH_1_(erfc, x)
#define exp(x) EACH_1_(exp, x)
#define exp2(x) EACH_1_(exp2, x)
#define exp10(x) EACH_1_(exp10, x)
#define expm1(x) EACH_1_(expm1, x)
#define fabs(x) EACH_1_(fabs, x)
#define floor(x) EACH_1_(floor, x)
#define ilogb(x) EACH_1_(ilogb, x)
#define lgamma(x) EACH_1_(lgamma, x)
#define log(x) EACH_1_(log, x)
#define log10(x) EACH_1_(log10, x)
#define log1p(x) EACH_1_(log1p, x)
#define log2(x) EACH_1_(log2, x)
#define logb(x) EACH_1_(logb, x)
#define nan(x) EACH_1_(nan, x)
#define rint(x) EACH_1_(rint, x)
#define round(x) EACH_1_(round, x)
#define rsqrt(x) EACH_1_(rsqrt, x)
#define sin(x) EACH_1_(sin, x)
#define sinh(x) EACH_1_(sinh, x)
#define sinpi(x) EACH_1_(sinpi, x)
#define sqrt(x) EACH_1_(sqrt, x)
#define tan(x) EACH_1_(tan, x)
#define tanh(x) EACH_1_(tanh, x)
#define tanpi(x) EACH_1_(tanpi, x)
#define tgamma(x) EACH_1_(tgamma, x)
#define trunc(x) EACH_1_(trunc, x)
#define atan2(x, y) EACH_2_(atan2, x, y)
#define atan2pi(x, y) EACH_2_(atan2pi, x, y)
#define copysign(x, y) EACH_2_(copysign, x, y)
#define fdim(x, y) EACH_2_(fdim, x, y)
#define fmax(x, y) EACH_2_(fmax, x, y)
#define fmin(x, y) EACH_2_(fmin, x, y)
#define fmod(x, y) EACH_2_(fmod, x, y)
#define hypot(x, y) EACH_2_(hypot, x, y)
#define maxmag(x, y) EACH_2_(maxmag, x, y)
#define minmag(x, y) EACH_2_(minmag, x, y)
#define nextafter(x, y) EACH_2_(nextafter, x, y)
#define pow(x, y) EACH_2_(pow, x, y)
#define powr(x, y) EACH_2_(powr, x, y)
#define remainder(x, y) EACH_2_(remainder, x, y)
#define ldexp(x, y) EACH_MIXED_(ldexp, x, y)
#define pown(x, y) EACH_MIXED_(pown, x, y)
#define rootn(x, y) EACH_MIXED_(rootn, x, y)
#define fma(x, y, z) EACH_3_(fma, x, y, z)
#define fract(x, p) EACH_TO_(fract(AT_(X_, x_), (*(P_)&to_) + i_), p, fract(x_, p_), LET_1_(x))
#define frexp(x, p) EACH_TO_(frexp(AT_(X_, x_), (*(P_)&to_) + i_), p, frexp(x_, p_), LET_1_(x))
#define lgamma_r(x, p) \
    EACH_TO_(lgamma_r(AT_(X_, x_), (*(P_)&to_) + i_), p, lgamma_r(x_, p_), LET_1_(x))
#define modf(x, p) EACH_TO_(modf(AT_(X_, x_), (*(P_)&to_) + i_), p, modf(x_, p_), LET_1_(x))
#define sincos(x, p) EACH_TO_(sincos(AT_(X_, x_), (*(P_)&to_) + i_), p, sincos(x_, p_), LET_1_(x))
#define remquo(x, y, p) \
    EACH_TO_(remquo(AT_(X_, x_), AT_(Y_, y_), (*(P_)&to_) + i_), p, remquo(x_, y_, p_), \
             LET_2_(x, y))
#define half_cos(x) cos(x)
#define half_exp(x) exp(x)
#define half_exp2(x) exp2(x)
#define half_exp10(x) exp10(x)
#define half_log(x) log(x)
#define half_log2(x) log2(x)
#define half_log10(x) log10(x)
#define half_powr(x, y) powr(x, y)
#define half_rsqrt(x) rsqrt(x)
#define half_sin(x) sin(x)
#define half_sqrt(x) sqrt(x)
#define half_tan(x) tan(x)
#define native_cos(x) cos(x)
#define native_exp(x) exp(x)
#define native_exp2(x) exp2(x)
#define native_exp10(x) exp10(x)
#define native_log(x) log(x)
#define native_log2(x) log2(x)
#define native_log10(x) log10(x)
#define native_powr(x, y) powr(x, y)
#define native_rsqrt(x) rsqrt(x)
#define native_sin(x) sin(x)
#define native_sqrt(x) sqrt(x)
#define native_tan(x) tan(x)

// ---- geometry -----------------------------------------------------------------------------------
#define dot(x, y) \
    ({ LET_2_(x, y) __typeof__(dot(x_, y_)) r_ = 0; \
       EACH_(X_, r_ += AT_(X_, x_) * AT_(Y_, y_)) r_; })
#define cross(x, y) \
    ({ __auto_type x_ = (x); __auto_type y_ = (y); __typeof__(cross(x_, y_)) r_ = 0; \
       r_.xyz = x_.yzx * y_.zxy - x_.zxy * y_.yzx; r_; })
#define length(x) \
    ({ LET_1_(x) __typeof__(length(x_)) r_ = 0; EACH_(X_, r_ = one_hypot(r_, AT_(X_, x_))) r_; })
#define distance(x, y) \
    ({ __auto_type a_ = (x); __auto_type b_ = (y); CHECK_(distance(a_, b_)); length(a_ - b_); })
#define normalize(x) \
    ({ __auto_type a_ = (x); CHECK_(normalize(a_)); \
       __auto_type l_ = length(a_); a_ / (l_ == 0 ? 1 : l_); })
#define fast_length(x) length(x)
#define fast_distance(x, y) distance(x, y)
#define fast_normalize(x) normalize(x)

#include "prelude_families.cl"
