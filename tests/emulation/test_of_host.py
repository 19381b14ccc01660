# SPDX-License-Identifier: MIT
"""What nvcc does not compile for a GPU, the emulation does not, either; and what nvcc takes, it
takes. nvcc itself is asked where it is installed, with the flags of common/make/cu.mk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import TOP, Result, needs, run

COMPILERS = ["g++", "clang++"]
KERNEL = "__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)\n"
CALLED = "calling a __host__ function"
UNDEFINED = 'identifier "'
SIZE = "expression must have a constant value"
AT = "float at(const float *m, int i) { return m[i]; }\n"
CALL = KERNEL + "{ C[0] = at(A, 0); }\n"
VIEW = "struct View { float *p; int ld; "
SUM = "float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y, a.z, a.w); }\n"
ADD = KERNEL + "{ float4 a = make_float4(A[0], 0, 0, 0); C[0] = (a + a).x; }\n"

# Each as nvcc refuses it, and a part of what is said.
REFUSED = {
    "function": (AT + CALL, CALLED),
    "template": ("template <class T>\nT at(const T *m, int i) { return m[i]; }\n" + CALL, CALLED),
    "template with its argument": (
        "template <int i> float at(const float *m) { return m[i]; }\n"
        + KERNEL
        + "{ C[0] = at<3>(A); }\n",
        CALLED,
    ),
    "static": ("static inline " + AT + CALL, CALLED),
    "extern C": ('extern "C" ' + AT + CALL, CALLED),
    "in a namespace": (
        "namespace mine { " + AT + "}\n" + KERNEL + "{ C[0] = mine::at(A, 0); }\n",
        CALLED,
    ),
    "declared before": (
        "float at(const float *m, int i);\n" + CALL + AT,
        CALLED,
    ),
    "by a device function": (
        AT + "__device__ float two(const float *m) { return at(m, 2); }\n" + KERNEL + "{}\n",
        CALLED,
    ),
    "by its address": (
        AT + KERNEL + "{ float (*f)(const float *, int) = at; C[0] = f(A, 0); }\n",
        CALLED,
    ),
    "with a default argument": (
        "float at(const float *m, int i = 0) { return m[i]; }\n" + KERNEL + "{ C[0] = at(A); }\n",
        CALLED,
    ),
    "member": (
        VIEW
        + "public: float at(int i) const { return p[i]; } };\n"
        + KERNEL
        + "{ View c{C, N}; C[0] = c.at(0); }\n",
        CALLED,
    ),
    "static member": (
        "struct Twice { static float of(float x) { return 2 * x; } };\n"
        + KERNEL
        + "{ C[0] = Twice::of(A[0]); }\n",
        CALLED,
    ),
    "member of a struct in the kernel": (
        KERNEL
        + "{ struct Some { float x; float twice() const { return 2 * x; } };\n"
        + "  Some a{A[0]}; C[0] = a.twice(); }\n",
        CALLED,
    ),
    "constructor": (
        VIEW
        + "View(float *p, int ld) : p(p), ld(ld) {} };\n"
        + KERNEL
        + "{ View c(C, N); c.p[0] = 0; }\n",
        CALLED,
    ),
    "destructor": (VIEW + "~View() {} };\n" + KERNEL + "{ View c{C, N}; c.p[0] = 0; }\n", CALLED),
    "operator()": (
        VIEW
        + "float &operator()(int i, int j) { return p[i * ld + j]; } };\n"
        + KERNEL
        + "{ View c{C, N}; c(0, 0) = 0; }\n",
        CALLED,
    ),
    "conversion": (
        "struct Half { float x; operator float() const { return x; } };\n"
        + KERNEL
        + "{ Half a{A[0]}; C[0] = a; }\n",
        CALLED,
    ),
    "operator of vectors": (SUM + ADD, CALLED),
    "std::swap": (
        "#include <utility>\n" + KERNEL + "{ float a = 1, b = 2; std::swap(a, b); C[0] = a; }\n",
        CALLED,
    ),
    "std::vector": (
        "#include <vector>\n" + KERNEL + "{ std::vector<float> a(4); C[0] = a[0]; }\n",
        CALLED,
    ),
    "function of C": (
        KERNEL + '{ if (M < 0) { fprintf(stderr, "M"); return; } C[0] = 2 * rand(); }\n',
        CALLED,
    ),
    "variable": ("static int one = 1;\n" + KERNEL + "{ C[one] = 0; }\n", UNDEFINED),
    "counter": ("int count;\n" + KERNEL + "{ atomicAdd(&count, 1); }\n", UNDEFINED),
    "text": (
        'static const char *text = "%d";\n' + KERNEL + "{ printf(text, M); }\n",
        UNDEFINED,
    ),
    "table": (
        "static const int at[] = {0, 1};\n"
        + KERNEL
        + "{ for (int i = 0; i < 2; i++) C[at[i]] = 0; }\n",
        UNDEFINED,
    ),
    "constexpr table": (
        "constexpr int at[2] = {0, 1};\n" + KERNEL + "{ int i = K % 2; C[at[i]] = 0; }\n",
        UNDEFINED,
    ),
    "array whose size is no constant": (
        KERNEL + "{ int n = 2; float s[n]; s[0] = 0; C[0] = s[0]; }\n",
        SIZE,
    ),
    "array of a thread for each of a block": (
        KERNEL + "{ const int n = blockDim.x; float s[n]; s[0] = 0; C[0] = s[0]; }\n",
        SIZE,
    ),
    "a macro in #pragma unroll": (
        "#define TWO 2\n"
        + KERNEL
        + "{\n#pragma unroll TWO // times\n    for (int i = 0; i < 2; i++) C[i] = 0; }\n",
        'identifier "TWO" is undefined',
    ),
    "array of a function for both": (
        "__host__ __device__ float first(int n) { float s[n]; s[0] = 0; return s[0]; }\n"
        + KERNEL
        + "{ C[0] = first(2); }\n",
        SIZE,
    ),
}
TAKEN = {
    "device": "__device__ " + AT + CALL,
    "host and device": "__host__ __device__ " + AT + CALL,
    "by a macro": "#define DEVICE __device__ __forceinline__\nDEVICE " + AT + CALL,
    "by a macro of small letters": "#define device __device__\ndevice " + AT + CALL,
    "by a macro of a macro": "#define both host_and_device\n"
    "#define host_and_device __host__ __device__\nboth " + AT + CALL,
    "declared before": "__device__ float at(const float *m, int i);\n" + AT + CALL,
    "constexpr": "constexpr int at(int i, int j) { return i + j; }\n"
    + KERNEL
    + "{ C[at(0, 1)] = 0; }\n",
    "std::min": "#include <algorithm>\n" + KERNEL + "{ C[std::min(M, 0)] = 0; }\n",
    "lambda": KERNEL + "{ auto at = [=](int i) { return A[i]; }; C[0] = at(0); }\n",
    "lambda of the device": KERNEL
    + "{ auto at = [=] __device__(int i) { return A[i]; }; C[0] = at(0); }\n",
    "lambda of the file": "auto twice = [](float x) { return 2 * x; };\n"
    + KERNEL
    + "{ C[0] = twice(2); }\n",
    "of its own": AT + KERNEL + "{ auto at = [=](int i) { return A[i]; }; C[0] = at(0); }\n",
    "used by the host": AT
    + KERNEL
    + "{ C[0] = A[0]; }\nvoid host(float *C) { C[0] = at(C, 1); }\n",
    "array of the host": KERNEL
    + "{ C[0] = A[0]; }\nfloat host(int n) { float s[n]; s[0] = 0; return s[0]; };\n",
    "one for each": "__device__ float at(float x) { return x; }\n"
    + AT
    + KERNEL
    + "{ C[0] = at(A[0]); }\n",
    "member of the device": "struct View { const float *p; __device__ float at(int i) const "
    "{ return p[i]; } };\n" + AT + KERNEL + "{ View a{A}; C[0] = a.at(0); }\n",
    "constructor of the device": VIEW + "__device__ View(float *p, int ld) : p{p}, ld{ld} {} "
    "float *row(int i) { return p + i * ld; } };\n" + KERNEL + "{ View c(C, N); c.p[0] = 0; }\n",
    "lambda that is given": "template <class F> float with(F f) { return f(2.f); }\n"
    "static const float four = with([](float x) { return 2 * x; });\n"
    + KERNEL
    + "{ C[0] = A[0]; }\n",
    "struct in a kernel": KERNEL
    + "{ struct Some { float x; __device__ float twice() const { return 2 * x; } };\n"
    + "  Some a{A[0]}; C[0] = a.twice(); }\n",
    "operator of the device": "__device__ inline " + SUM + ADD,
    "attributes": "[[nodiscard]] static " + AT + KERNEL + "{ C[0] = A[0]; }\n",
    "alignment": "alignas(16) static float table[4];\n"
    + KERNEL
    + "{ C[0] = A[0]; }\nfloat host() { return table[0]; }\n",
    "a macro that makes a kernel": "#define GEMM(...) " + KERNEL.strip() + " { __VA_ARGS__ }\n"
    "GEMM(for (int i = 0; i < 2; i++) C[i] = 0;)\nstatic int one = 1;\n"
    "#define also(name, value) float name() { return value; }\nalso(two, one + 1)\n",
    "left out": "#if 0\n" + AT + "#endif\n" + KERNEL + "{ C[0] = 0; }\n",
    "a call that is left out": "#define LOG 0\n"
    + AT
    + KERNEL
    + '{\n#if LOG\n    fprintf(stderr, "%f", at(A, 0));\n#endif\n    C[0] = A[0]; }\n',
    "two ways": "#ifdef __CUDACC__\n__device__ " + AT + "#else\n" + AT + "#endif\n" + CALL,
    "two ways with a brace": "#ifdef __CUDACC__\n__device__ float at(const float *m, int i) {\n"
    "#else\nfloat at(const float *m, int i) {\n#endif\n    return m[i];\n}\n" + CALL,
    "a function of a name of C's": "__device__ int rand(unsigned &seed) { return ++seed; }\n"
    + KERNEL
    + "{ unsigned seed = M; C[0] = rand(seed); }\n",
    "constant": "const int one = 1;\nstatic constexpr int two = 2;\n"
    + KERNEL
    + "{ C[one] = two; }\n",
    "table by constants": "constexpr int at[] = {0, 1};\n"
    + KERNEL
    + "{ constexpr int one = at[1]; float s[at[1]] = {}; static_assert(at[0] == 0);\n"
    + "  C[one] = s[0]; }\n",
    "a constant in #pragma unroll": "#define TWO 2\n"
    + KERNEL
    + "{\n    constexpr int two = TWO;\n#pragma unroll two // TWO\n"
    + "    for (int i = 0; i < 2; i++) C[i] = 0;\n#if 0\n#pragma unroll TWO\n#endif\n}\n",
    "constant memory": "__constant__ int at[2];\n" + KERNEL + "{ int i = K % 2; C[at[i]] = 0; }\n",
    "hidden": "static int one = 1;\n" + KERNEL + "{ int one = 0; C[one] = 0; }\n",
    "a parameter of this name": "static float *a;\n__global__ void gemm(int M, int N, int K, "
    "const float *a, const float *B, float *C)\n{ C[0] = a[0]; }\n",
    "a type": "typedef struct { const float *p; } Matrix;\n"
    + KERNEL
    + "{ Matrix a; a.p = A; C[0] = *a.p; }\n",
    "alignas": "template <int N> struct alignas(N * sizeof(float)) Some { float at[N]; };\n"
    + KERNEL
    + "{ static_assert(sizeof(Some<4>) == 16); C[0] = 0; }\n",
    "another name of a namespace": "namespace long_one { __device__ int one() { return 1; } }\n"
    "namespace cg = long_one;\n" + KERNEL + "{ C[cg::one()] = 0; }\n",
    "a function that CUDA has, too": "inline int min(int a, int b) { return a < b ? a : b; }\n"
    + KERNEL
    + "{ C[min(M, 0)] = 0; }\n",
    "a macro of a function's name": AT + "#define at(m, i) m[i]\n" + CALL,
    "a size and an index of one name": "const int n = 2;\n"
    + KERNEL
    + "{ float s[n]; for (int n = 0; n < 2; n++) s[n] = 0; C[0] = s[0]; }\n",
    "an operator's name": KERNEL + "{ int i = K % 2; if (M and A[i]) C[0] = 0; }\n",
    "sizes": "#define N_OF 3\n"
    + KERNEL
    + "{ const int n = 2; constexpr unsigned int m = 2; float s[n], t[m], u[N_OF]; s[1] = t[1] = 0;"
    " u[0] = s[1]; C[0] = t[1] + u[0]; }\n",
}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    return path


def compiled(compiler: str, path: Path) -> Result:
    needs(compiler)
    command = ["engine/cuda/compile", compiler, "-std=c++17", "-O2", "-c", "-o"]
    return run([*command, str(path.with_suffix(".o")), str(path)], TOP)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_of_the_host_alone(case: str, compiler: str, tmp_path: Path) -> None:
    text, said = REFUSED[case]
    path = written(tmp_path, text)
    result = compiled(compiler, path)
    assert (result.status, result.out) == (1, "")
    first = result.err.splitlines()[0]
    assert re.match(rf"{path}:\d+:\d+: error: {re.escape(said)}", first), result.err


WORDS = {
    "function": '3: error: calling a __host__ function("float at(const float*, int)") from device '
    "code is not allowed: it is not __device__",
    "std::swap": '3: error: calling a __host__ function("swap") from device code is not allowed',
    "variable": '3: error: identifier "one" is undefined in device code: it is neither __device__ '
    "nor __constant__",
    "array whose size is no constant": "2: error: expression must have a constant value: the size "
    "of an array s",
}


@pytest.mark.parametrize("case", WORDS)
def test_it_is_said_in_words_of_nvcc(case: str, tmp_path: Path) -> None:
    path = written(tmp_path, REFUSED[case][0])
    said = re.sub(r":\d+: error", ": error", compiled("g++", path).err)
    assert said == f"{path}:{WORDS[case]}\n"


def test_a_variable_called_gridDim_is_no_function(tmp_path: Path) -> None:
    """It is gridDim_of_host here (language.py)."""
    path = written(tmp_path, "void host() {\n    int gridDim = 1;\n    gridDim();\n}\n")
    said = compiled("g++", path).err
    assert "cannot be used as a function" in said
    assert CALLED not in said


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("case", TAKEN)
def test_what_is_of_the_device_or_is_not_certain(case: str, compiler: str, tmp_path: Path) -> None:
    result = compiled(compiler, written(tmp_path, TAKEN[case]))
    assert (result.status, result.err) == (0, ""), result.text


@pytest.mark.parametrize("case", [*REFUSED, *TAKEN])
def test_nvcc_says_the_same(case: str, tmp_path: Path) -> None:
    needs("nvcc")
    path = written(tmp_path, REFUSED[case][0] if case in REFUSED else TAKEN[case])
    settings = (TOP / "common/make/cu.mk").read_text()
    flags = ["-std=c++17", *re.findall("^as_emulated = (.*)", settings, re.MULTILINE)[0].split()]
    result = run(["nvcc", "-cubin", *flags, "-o", str(tmp_path / "cubin"), str(path)], tmp_path)
    assert (result.status != 0) == (case in REFUSED), result.text
