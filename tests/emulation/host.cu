// SPDX-License-Identifier: MIT
// clang-format off
// What nvcc refuses, each in a part of its own that begins with its name. A line that is refused
// ends with HOST (it calls a function of the host), UNDEFINED (a name that the device has not) or
// SIZE (of an array, no constant); a part without such a line is taken. KERNEL stands for the
// signature of a kernel gemm, AT for a function of the host.
// ---- function
AT
KERNEL { C[0] = at(A, 0); } // HOST
// ---- template
template <class T>
T at(const T *m, int i) { return m[i]; }
KERNEL { C[0] = at(A, 0); } // HOST
// ---- template with its argument
template <int i> float at(const float *m) { return m[i]; }
KERNEL { C[0] = at<3>(A); } // HOST
// ---- in a namespace
namespace mine { AT
}
KERNEL { C[0] = mine::at(A, 0); } // HOST
// ---- declared before of the host
float at(const float *m, int i);
KERNEL { C[0] = at(A, 0); } // HOST
AT
// ---- by a device function
AT
__device__ float two(const float *m) { return at(m, 2); } // HOST
KERNEL {}
// ---- by its address
AT
KERNEL { float (*f)(const float *, int) = at; C[0] = f(A, 0); } // HOST
// ---- member
struct View { float *p; int ld; public: float at(int i) const { return p[i]; } };
KERNEL { View c{C, N}; C[0] = c.at(0); } // HOST
// ---- static member
struct Twice { static float of(float x) { return 2 * x; } };
KERNEL { C[0] = Twice::of(A[0]); } // HOST
// ---- constructor
struct View { float *p; int ld; View(float *p, int ld) : p(p), ld(ld) {} };
KERNEL { View c(C, N); c.p[0] = 0; } // HOST
// ---- destructor
struct View { float *p; int ld; ~View() {} };
KERNEL { View c{C, N}; c.p[0] = 0; } // HOST
// ---- operator()
struct View { float *p; int ld; float &operator()(int i, int j) { return p[i * ld + j]; } };
KERNEL { View c{C, N}; c(0, 0) = 0; } // HOST
// ---- conversion
struct Half { float x; operator float() const { return x; } };
KERNEL { Half a{A[0]}; C[0] = a; } // HOST
// ---- operator of vectors
float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y, a.z, a.w); }
KERNEL { float4 a = make_float4(A[0], 0, 0, 0); C[0] = (a + a).x; } // HOST
// ---- std::swap
#include <utility>
KERNEL { float a = 1, b = 2; std::swap(a, b); C[0] = a; } // HOST
// ---- function of C
KERNEL { if (M < 0) { fprintf(stderr, "M"); return; } C[0] = 2 * rand(); } // HOST
// ---- variable
static int one = 1;
KERNEL { C[one] = 0; } // UNDEFINED
// ---- text
static const char *text = "%d";
KERNEL { printf(text, M); } // UNDEFINED
// ---- table
static const int at[] = {0, 1};
KERNEL { for (int i = 0; i < 2; i++) C[at[i]] = 0; } // UNDEFINED
// ---- constexpr table
constexpr int at[2] = {0, 1};
KERNEL { int i = K % 2; C[at[i]] = 0; } // UNDEFINED
// ---- array whose size is no constant
KERNEL { int n = 2; float s[n]; s[0] = 0; C[0] = s[0]; } // SIZE
// ---- a macro in #pragma unroll
#define TWO 2
KERNEL {
#pragma unroll TWO // times // UNDEFINED
    for (int i = 0; i < 2; i++) C[i] = 0; }
// ---- array of a function for both
__host__ __device__ float first(int n) { float s[n]; s[0] = 0; return s[0]; } // SIZE
KERNEL { C[0] = first(2); }
// ---- device
__device__ AT
KERNEL { C[0] = at(A, 0); }
// ---- host and device
__host__ __device__ AT
KERNEL { C[0] = at(A, 0); }
// ---- by a macro
#define DEVICE __device__ __forceinline__
DEVICE AT
KERNEL { C[0] = at(A, 0); }
// ---- by a macro of a macro
#define both host_and_device
#define host_and_device __host__ __device__
both AT
KERNEL { C[0] = at(A, 0); }
// ---- lambda
KERNEL { auto at = [=](int i) { return A[i]; }; C[0] = at(0); }
// ---- lambda of the device
KERNEL { auto at = [=] __device__(int i) { return A[i]; }; C[0] = at(0); }
// ---- used by the host
AT
KERNEL { C[0] = A[0]; }
void host(float *C) { C[0] = at(C, 1); }
// ---- array of the host
KERNEL { C[0] = A[0]; }
float host(int n) { float s[n]; s[0] = 0; return s[0]; };
// ---- member of the device
struct View { const float *p; __device__ float at(int i) const { return p[i]; } };
AT
KERNEL { View a{A}; C[0] = a.at(0); }
// ---- constructor of the device
struct View { float *p; int ld; __device__ View(float *p, int ld) : p{p}, ld{ld} {}
  float *row(int i) { return p + i * ld; } };
KERNEL { View c(C, N); c.p[0] = 0; }
// ---- lambda that is given
template <class F> float with(F f) { return f(2.f); }
static const float four = with([](float x) { return 2 * x; });
KERNEL { C[0] = A[0]; }
// ---- struct in a kernel
KERNEL { struct Some { float x; __device__ float twice() const { return 2 * x; } };
  Some a{A[0]}; C[0] = a.twice(); }
// ---- operator of the device
__device__ inline float4 operator+(float4 a, float4 b)
{ return make_float4(a.x + b.x, a.y, a.z, a.w); }
KERNEL { float4 a = make_float4(A[0], 0, 0, 0); C[0] = (a + a).x; }
// ---- alignment
alignas(16) static float table[4];
KERNEL { C[0] = A[0]; }
float host() { return table[0]; }
// ---- a macro that makes a kernel
#define GEMM(...) KERNEL { __VA_ARGS__ }
GEMM(for (int i = 0; i < 2; i++) C[i] = 0;)
static int one = 1;
#define also(name, value) float name() { return value; }
also(two, one + 1)
// ---- left out
#if 0
AT
#endif
KERNEL { C[0] = 0; }
// ---- a call that is left out
#define LOG 0
AT
KERNEL {
#if LOG
    fprintf(stderr, "%f", at(A, 0));
#endif
    C[0] = A[0]; }
// ---- two ways with a brace
#ifdef __CUDACC__
__device__ float at(const float *m, int i) {
#else
float at(const float *m, int i) {
#endif
    return m[i];
}
KERNEL { C[0] = at(A, 0); }
// ---- a function of a name of C's
__device__ int rand(unsigned &seed) { return ++seed; }
KERNEL { unsigned seed = M; C[0] = rand(seed); }
// ---- constant
const int one = 1;
static constexpr int two = 2;
KERNEL { C[one] = two; }
// ---- table by constants
constexpr int at[] = {0, 1};
KERNEL { constexpr int one = at[1]; float s[at[1]] = {}; static_assert(at[0] == 0);
  C[one] = s[0]; }
// ---- a constant in #pragma unroll
#define TWO 2
KERNEL {
    constexpr int two = TWO;
#pragma unroll two // TWO
    for (int i = 0; i < 2; i++) C[i] = 0;
#if 0
#pragma unroll TWO
#endif
}
// ---- constant memory
__constant__ int at[2];
KERNEL { int i = K % 2; C[at[i]] = 0; }
// ---- hidden
static int one = 1;
KERNEL { int one = 0; C[one] = 0; }
// ---- a parameter of this name
static float *a;
__global__ void gemm(int M, int N, int K, const float *a, const float *B, float *C)
{ C[0] = a[0]; }
// ---- a type
typedef struct { const float *p; } Matrix;
KERNEL { Matrix a; a.p = A; C[0] = *a.p; }
// ---- alignas
template <int N> struct alignas(N * sizeof(float)) Some { float at[N]; };
KERNEL { static_assert(sizeof(Some<4>) == 16); C[0] = 0; }
// ---- another name of a namespace
namespace long_one { __device__ int one() { return 1; } }
namespace cg = long_one;
KERNEL { C[cg::one()] = 0; }
// ---- a function that CUDA has, too
inline int min(int a, int b) { return a < b ? a : b; }
KERNEL { C[min(M, 0)] = 0; }
// ---- a macro of a function's name
AT
#define at(m, i) m[i]
KERNEL { C[0] = at(A, 0); }
// ---- an operator's name
KERNEL { int i = K % 2; if (M and A[i]) C[0] = 0; }
// ---- sizes
#define N_OF 3
KERNEL { const int n = 2; constexpr unsigned int m = 2; float s[n], t[m], u[N_OF];
  s[1] = t[1] = 0; u[0] = s[1]; C[0] = t[1] + u[0]; }
