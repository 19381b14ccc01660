# SPDX-License-Identifier: MIT
"""What make race says of lab 04 with another body: mistakes in OpenCL C by their lines, and what is
no mistake."""

from __future__ import annotations

import pytest

from tests.conftest import Copy
from tests.support import make, needs

HEAD = """#include "params.h"
%s
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
%s
}
"""
SUM = """    if (row >= M || col >= N) return;
    real sum%s;
    for (int k = 0; k < K; k++)
        sum += %s;
    C[row * N + col] = sum;"""
AT = """real at(__global const real *p, int row, int columns, int col)
{ return p[row * columns + col]; }"""
PRODUCT = "A[row * K + k] * B[k * N + col]"
COPY = """    __local real own[64];
    event_t copied = async_work_group_copy(own, A + get_local_id(0), 1, 0);
    wait_group_events(1, &copied);"""
KERNELS = {
    "unset": ("", SUM % ("", PRODUCT), "kernel.cl:10: uninitialized:"),
    "inline": (f"inline {AT}", SUM % (" = 0", "at(A, row, K, k) * at(B, k, N, col)"), ""),
    "recursion": (
        "int f(int n);\nint f(int n) { return n < 1 ? 0 : f(n - 1); }",
        "    C[0] = f(N);",
        "kernel.cl:3: error: f calls itself, which OpenCL C forbids",
    ),
    "large": (
        "",
        "    volatile real big[20000];\n    big[N] = 0; C[0] = big[M];",
        "kernel.cl:7: error: the private array big has 80,000 bytes",
    ),
    "copies": ("", COPY, "kernel.cl:8: asynchronous copy: the work-items of a group give it"),
    "sub-groups": (
        "",
        "    C[0] = sub_group_broadcast(C[1], 0);",
        "sub_group_broadcast",
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel(lab: Copy, name: str) -> None:
    needs("clang")
    before, body, said = KERNELS[name]
    folder = lab("lab04_ocl_naive")
    for variant in folder.glob("kernel_*"):
        variant.unlink()
    (folder / "kernel.cl").write_text(HEAD % (before, body))
    result = make(folder, "race")
    assert said in " ".join(result.out.split()), result.text
    assert result.status == (2 if said else 0), result.text
