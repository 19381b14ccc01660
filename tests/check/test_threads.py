# SPDX-License-Identifier: MIT
"""OpenMP: a counter or a sum that all threads share is told before what follows from it."""

from __future__ import annotations

import pytest

from tests.support import TOP
from workbook.race.findings import Finding, sentence
from workbook.race.threads import shared_by_threads
from workbook.race.tools import Tool

KERNEL = """void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    BEFORE
PRAGMA
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            INSIDE
            sum = 0;
            for (k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
"""
ALL = "int i, j, k; real sum;"


@pytest.mark.parametrize(
    ("pragma", "before", "inside", "shared"),
    [
        ("parallel for", ALL, "", "j, sum and k are"),
        ("parallel for private(j, k)", ALL, "", "sum is"),
        ("parallel for private(j, k) reduction(+ : sum)", ALL, "", ""),
        ("parallel for \\\n  private(j, k, sum)", ALL, "", ""),
        ("parallel for", "int i, j;", "int k; real sum;", "j is"),
        ("parallel for collapse(2) private(k, sum)", ALL, "", "j is"),
        ("simd", ALL, "", ""),
    ],
)
def test_what_is_shared(pragma: str, before: str, inside: str, shared: str) -> None:
    text = KERNEL.replace("PRAGMA", f"#pragma omp {pragma}")
    said = shared_by_threads(text.replace("BEFORE", before).replace("INSIDE", inside))
    assert said.startswith(f"data race: {shared} shared by all threads" if shared else "")
    assert bool(said) == bool(shared)


def test_of_a_right_kernel_nothing_is_said() -> None:
    folders = ("lab*", "advanced/lab*", "tests/honest", "answers/*")
    every = [path for folder in folders for path in TOP.glob(f"{folder}/*.c")]
    assert [path.name for path in every if shared_by_threads(path.read_text())] == []
    assert sum("omp parallel" in path.read_text(encoding="utf-8") for path in every) >= 2


def test_it_is_told_instead_of_what_a_tool_finds() -> None:
    text = KERNEL.replace("PRAGMA", "#pragma omp parallel for").replace("BEFORE", ALL)
    tool = Tool("ASan+UBSan", lambda *_: [], ())
    found = tool.explained(Finding("bounds", "reads outside A", 11), text)
    assert sentence(found, "cpu").startswith("data race: j, sum and k are shared by all threads")
    assert tool.explained(Finding("bounds", "", 11), text.replace("omp", "")).kind == "bounds"
