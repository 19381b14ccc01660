# SPDX-License-Identifier: MIT
"""What nvcc does not compile for a GPU, the emulation does not, either; and what nvcc takes, it
takes. nvcc itself is asked where it is installed, with the flags of common/make/cu.mk."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support import TOP, needs, run

KERNEL = "__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)\n"
CALLED = "calling a __host__ function"
UNDEFINED = "is undefined in device code"
AT = "float at(const float *m, int i) { return m[i]; }\n"
CALL = KERNEL + "{ C[0] = at(A, 0); }\n"

REFUSED = {
    "function": (AT + CALL, f'3: error: {CALLED}("at") from a __global__ function("gemm")'),
    "template": ("template <class T>\nT at(const T *m, int i) { return m[i]; }\n" + CALL, CALLED),
    "static": ("static inline " + AT + CALL, CALLED),
    "by a device function": (
        AT + "__device__ float two(const float *m) { return at(m, 2); }\n" + KERNEL + "{}\n",
        f'2: error: {CALLED}("at") from a __device__ function("two")',
    ),
    "member": (
        "struct View { const float *p; float at(int i) const { return p[i]; } };\n"
        + KERNEL
        + "{ View a{A}; C[0] = a.at(0); }\n",
        f'3: error: {CALLED}("at")',
    ),
    "std::swap": (
        "#include <utility>\n" + KERNEL + "{ float a = 1, b = 2; std::swap(a, b); C[0] = a; }\n",
        f'3: error: {CALLED}("std::swap")',
    ),
    "variable": (
        "static int one = 1;\n" + KERNEL + "{ C[one] = 0; }\n",
        f'3: error: identifier "one" {UNDEFINED}',
    ),
    "table": (
        "static const int at[] = {0, 1};\n"
        + KERNEL
        + "{ for (int i = 0; i < 2; i++) C[at[i]] = 0; }\n",
        f'3: error: identifier "at" {UNDEFINED}',
    ),
    "constexpr table": (
        "constexpr int at[2] = {0, 1};\n" + KERNEL + "{ int i = K % 2; C[at[i]] = 0; }\n",
        f'identifier "at" {UNDEFINED}',
    ),
    "array whose size is no constant": (
        KERNEL + "{ int n = 2; float s[n]; s[0] = 0; C[0] = s[0]; }\n",
        "2: error: expression must have a constant value: the size of s",
    ),
}
TAKEN = {
    "device": "__device__ " + AT + CALL,
    "host and device": "__host__ __device__ " + AT + CALL,
    "by a macro": "#define DEVICE __device__ __forceinline__\nDEVICE " + AT + CALL,
    "declared before": "__device__ float at(const float *m, int i);\n" + AT + CALL,
    "constexpr": "constexpr int at(int i, int j) { return i + j; }\n"
    + KERNEL
    + "{ C[at(0, 1)] = 0; }\n",
    "std::min": "#include <algorithm>\n" + KERNEL + "{ C[std::min(M, 0)] = 0; }\n",
    "lambda": KERNEL + "{ auto at = [=](int i) { return A[i]; }; C[0] = at(0); }\n",
    "lambda of the device": KERNEL
    + "{ auto at = [=] __device__(int i) { return A[i]; }; C[0] = at(0); }\n",
    "of its own": AT + KERNEL + "{ auto at = [=](int i) { return A[i]; }; C[0] = at(0); }\n",
    "used by the host": AT
    + KERNEL
    + "{ C[0] = A[0]; }\nvoid host(float *C) { C[0] = at(C, 1); }\n",
    "one for each": "__device__ float at(float x) { return x; }\n"
    + AT
    + KERNEL
    + "{ C[0] = at(A[0]); }\n",
    "member of the device": "struct View { const float *p; __device__ float at(int i) const "
    "{ return p[i]; } };\n" + AT + KERNEL + "{ View a{A}; C[0] = a.at(0); }\n",
    "left out": "#if 0\n" + AT + "#endif\n" + KERNEL + "{ C[0] = 0; }\n",
    "two ways": "#ifdef __CUDACC__\n__device__ " + AT + "#else\n" + AT + "#endif\n" + CALL,
    "constant": "const int one = 1;\nstatic constexpr int two = 2;\n"
    + KERNEL
    + "{ C[one] = two; }\n",
    "table by constants": "constexpr int at[] = {0, 1};\n"
    + KERNEL
    + "{ constexpr int one = at[1]; C[one] = 0; }\n",
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


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_of_the_host_alone(case: str, tmp_path: Path) -> None:
    text, said = REFUSED[case]
    result = run([sys.executable, "emulation/rewrite", str(written(tmp_path, text))], TOP)
    assert result.status == 1
    assert result.out == ""
    assert len(result.err.splitlines()) == 1
    assert said in result.err


@pytest.mark.parametrize("case", TAKEN)
def test_what_is_of_the_device_or_is_not_certain(case: str, tmp_path: Path) -> None:
    path = written(tmp_path, TAKEN[case])
    result = run([sys.executable, "emulation/rewrite", str(path)], TOP)
    assert (result.status, result.err) == (0, "")
    object_file = str(tmp_path / "kernel.o")
    command = ["emulation/compile", "g++", "-std=c++17", "-O2", "-c", "-o", object_file, str(path)]
    result = run(command, TOP)
    assert result.status == 0, result.text


@pytest.mark.parametrize("case", [*REFUSED, *TAKEN])
def test_nvcc_says_the_same(case: str, tmp_path: Path) -> None:
    needs("nvcc")
    path = written(tmp_path, REFUSED[case][0] if case in REFUSED else TAKEN[case])
    settings = (TOP / "common/make/cu.mk").read_text()
    flags = ["-std=c++17", *re.findall("^as_emulated = (.*)", settings, re.MULTILINE)[0].split()]
    result = run(["nvcc", "-cubin", *flags, "-o", str(tmp_path / "cubin"), str(path)], tmp_path)
    assert (result.status != 0) == (case in REFUSED), result.text
