# SPDX-License-Identifier: MIT
"""What profile/ counts: each rule of rules.h by a kernel of its own, whole labs beside an H200's
counters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import TOP, gemm, make, needs, run
from workbook.lab import labs
from workbook.profile.source import Names

# Of a kernel of rules.cu the access that its name says: requests, lanes, units, ideal.
GLOBAL_LOADS = {
    "contiguous": (1, 32, 4, 4),
    "stride_2": (1, 32, 8, 4),
    "column": (1, 32, 32, 4),
    "broadcast": (1, 32, 1, 1),
    "misaligned_row": (1, 32, 5, 4),
    "one_lane": (1, 1, 1, 1),
    "vectors": (1, 32, 16, 16),
    "doubles": (1, 32, 8, 8),
    "diverging": (2, 48, 8, 6),
    "structures": (4, 128, 64, 16),
    "adds": (1, 32, 4, 4),
    "copied": (1, 32, 16, 16),
}
SHARED_LOADS = {
    "shared_row": (1, 32, 1, 1),
    "shared_column": (1, 32, 32, 1),
    "shared_padded": (1, 32, 1, 1),
    "shared_stride_2": (1, 32, 2, 1),
    "shared_swizzled": (1, 32, 1, 1),
    "shared_broadcast": (1, 32, 1, 1),
    "shared_doubles": (1, 32, 2, 2),
    "shared_vectors": (1, 32, 4, 4),
    "shared_vectors_in_pairs": (1, 32, 2, 2),
    "shared_vectors_in_a_column": (1, 32, 32, 4),
    "copied": (1, 32, 1, 1),
}
STORES = {("adds", "global"): (1, 32, 1, 1), ("copied", "shared"): (1, 32, 4, 4)}


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    needs("g++")
    folder = tmp_path_factory.mktemp("rules")
    kernel = TOP / "tests/profile/rules.cu"
    compiled: list[str | Path] = [
        TOP / "emulation/compile",
        "g++",
        *"-std=c++17 -O1 -g -fsanitize=thread -c -o rules.o".split(),
    ]
    assert run([*compiled, kernel], folder).status == 0
    sources = [
        *sorted((TOP / "emulation").glob("*/*.cpp")),
        *(TOP / "profile" / name for name in ("counts.cpp", "steps.cpp", "cuda.cpp")),
    ]
    linked = run(["g++", *"-std=c++17 -O1 -pthread -o rules rules.o".split(), *sources], folder)
    assert linked.status == 0, linked.err
    assert run(["./rules"], folder, env={"PROFILE": "counts.json"}).status == 0
    found: list[dict[str, Any]] = json.loads((folder / "counts.json").read_text())["counts"]
    return found


def of(
    counts: list[dict[str, Any]], kernel: str, space: str, writes: bool
) -> list[tuple[int, ...]]:
    return [
        (one["requests"], one["lanes"], one["units"], one["ideal"])
        for one in counts
        if (one["kernel"], one["space"], one["writes"]) == (kernel, space, writes)
    ]


@pytest.mark.parametrize("kernel", GLOBAL_LOADS)
def test_sectors_of_global_memory(counts: list[dict[str, Any]], kernel: str) -> None:
    assert of(counts, kernel, "global", False) == [GLOBAL_LOADS[kernel]]


@pytest.mark.parametrize("kernel", SHARED_LOADS)
def test_wavefronts_of_shared_memory(counts: list[dict[str, Any]], kernel: str) -> None:
    assert of(counts, kernel, "shared", False) == [SHARED_LOADS[kernel]]


@pytest.mark.parametrize("kernel, space", STORES)
def test_stores(counts: list[dict[str, Any]], kernel: str, space: str) -> None:
    assert of(counts, kernel, space, True) == [STORES[kernel, space]]


def test_nothing_is_counted_after_the_result(counts: list[dict[str, Any]]) -> None:
    assert len({one["kernel"] for one in counts}) == len({*GLOBAL_LOADS, *SHARED_LOADS})
    assert of(counts, "contiguous", "global", True) == [(1, 32, 4, 4)]


# ---- an H200's counters ------------------------------------------------------------------------
def numbers(cells: list[str]) -> list[int]:
    return [
        int(part.replace(",", "")) for cell in cells for part in cell.split(" / ") if part != "–"
    ]


def table() -> list[tuple[str, str, str, list[int], list[int]]]:
    """Of docs/counters.md: lab, settings, size, ncu's requests and sectors, our wavefronts and the
    ideal."""
    rows = []
    for line in (TOP / "docs/counters.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 7 and cells[0].startswith("lab"):
            lab, _, settings = cells[0].partition(", ")
            rows.append((lab, settings, cells[1], numbers(cells[2:4]), numbers(cells[5:6])))
    return rows


def test_the_table_has_rows() -> None:
    assert len(table()) >= 9


@pytest.mark.parametrize("lab, settings, size, ncu, wavefronts", table())
def test_counts_are_those_of_an_h200(
    tmp_path: Path, lab: str, settings: str, size: str, ncu: list[int], wavefronts: list[int]
) -> None:
    """Requests and sectors of global memory are; of shared memory the page says where they are
    not."""
    needs("g++")
    [path] = [*TOP.glob(f"{lab}_*"), *TOP.glob(f"advanced/{lab}_*")]
    words = ["CUDA=cpu", "COUNT=1", *settings.split()]
    program = next((f"gemm_{word[8:]}" for word in words if word.startswith("VARIANT=")), "gemm")
    folder = labs.copy_to(labs.describe(str(path), []), tmp_path).path
    assert make(folder, program, *words).status == 0
    ended, _ = gemm(
        folder,
        *size.split(),
        "--once",
        program=program,
        env={"PROFILE": str(tmp_path / "counts.json")},
    )
    assert ended.status == 0, ended.err
    counted = json.loads((tmp_path / "counts.json").read_text())["counts"]
    loads, stores = (
        [one for one in counted if one["writes"] == writes] for writes in (False, True)
    )
    of_global = [
        sum(one[key] for one in of_kind if one["space"] == "global")
        for of_kind in (loads, stores)
        for key in ("requests", "units")
    ]
    of_shared = [
        sum(one[key] for one in counted if one["space"] == "shared") for key in ("units", "ideal")
    ]
    assert (of_global, of_shared) == (ncu, wavefronts or [0, 0])


# ---- names -------------------------------------------------------------------------------------
CUDA = """__global__ void first(const real *X, real *Y);
__global__ void gemm(int M, int N, int K, const real *A, const real *__restrict__ B, real C[])
{ // __shared__ real none[1];
    const int local = threadIdx.x;
    __shared__ real a_tile[((BLOCK) + (1))][BLOCK], small;
    extern __shared__ real4 rest[];
    __shared__ __align__(16) real b_tile[F(2, 3)];
    b_tile[local] = a_tile[0][local];
    b_tile[0] = 1;
}
__global__ void first(const real *X, real *Y)
{
}"""
OPENCL = """void help(__local const real *p);
__kernel void gemm(int M, int N, int K, __global const real *A, __global real *restrict C)
{
    __local real a_tile[TILE_K][TILE_M], b_tile[1];"""


def test_arrays_have_the_names_of_the_source() -> None:
    cuda, opencl = Names(CUDA), Names(OPENCL)
    assert [cuda.of_global(n, "gemm") for n in (4, 5, 6, 9)] == ["A", "B", "C", "?"]
    assert [cuda.of_global(n, "first") for n in (1, 2)] == ["X", "Y"]
    assert [cuda.of_shared(n, 8) for n in (0, 1, 2, 3)] == ["rest", "a_tile, small", "b_tile", "?"]
    assert cuda.of_shared(1, 9) == "b_tile"  # which the line names alone
    assert [opencl.of_global(n, "gemm") for n in (1, 2, 3)] == ["A", "C", "?"]
    assert [opencl.of_shared(n, 0) for n in (1, 2)] == ["a_tile", "b_tile"]
