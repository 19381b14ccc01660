# SPDX-License-Identifier: MIT
"""What engine/count/ counts: each rule of rules.h by a separate kernel; labs and controls compared
with ncu on an H100."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.counters import CONTROLS, PROGRAMS, SIZES, counting, emulated, line, ours
from tests.schemas import complaints
from tests.support import TOP, needs, run
from workbook.profile.source import Names

CONTROLS_CU = TOP / "tests/profile/controls.cu"

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
    "shared_vectors_in_far_pairs": (1, 32, 2, 2),
    "shared_vectors_in_eights": (1, 32, 4, 4),
    "shared_vectors_by_quarters": (1, 32, 32, 4),
    "shared_doubles_in_pairs": (1, 32, 1, 1),
    "shared_vectors_in_a_column": (1, 32, 32, 4),
    "copied": (1, 32, 1, 1),
    "matrices": (1, 32, 32, 4),
    "matrices_padded": (1, 32, 4, 4),
    "two_matrices": (1, 16, 2, 2),
}
STORES = {
    ("adds", "global"): (1, 32, 1, 1),
    ("copied", "shared"): (1, 32, 4, 4),
    ("stored_in_pairs", "shared"): (1, 32, 4, 4),
    ("row_copied", "shared"): (1, 32, 1, 1),
    ("rows_copied", "shared"): (1, 32, 4, 1),
    ("conflicts_copied", "shared"): (1, 32, 11, 1),
    ("zeros_copied", "shared"): (1, 32, 1, 1),
}


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    needs("g++")
    folder = tmp_path_factory.mktemp("rules")
    command = counting("rules.cu", folder)
    assert run(command, folder, env={"PROFILE": "counts.json"}).status == 0
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


EXPECTED = {
    **{(kernel, "global", False): cost for kernel, cost in GLOBAL_LOADS.items()},
    **{(kernel, "shared", False): cost for kernel, cost in SHARED_LOADS.items()},
    **{(kernel, space, True): cost for (kernel, space), cost in STORES.items()},
}


@pytest.mark.parametrize("access", EXPECTED, ids=lambda one: "-".join(map(str, one)))
def test_each_rule(counts: list[dict[str, Any]], access: tuple[str, str, bool]) -> None:
    assert of(counts, *access) == [EXPECTED[access]]


# Of 64 lanes: wavefronts, and the ideal. A half of 4 bytes a lane, a quarter of 8, eight of 16, of
# which loads take others than stores, are served at once, and no pairs are merged.
OF_64_LANES = """row 2 2
column 64 2
stride_2 4 2
broadcast 2 2
doubles 4 4
doubles_in_pairs 4 4
vectors 8 8
vectors_stored 8 8
crossed 8 8
crossed_stored 16 8
sectors 8
"""


def test_wavefronts_of_64_lanes(tmp_path: Path) -> None:
    needs("g++")
    source = TOP / "tests/profile/wavefronts.cpp"
    built = run(["g++", "-std=c++17", "-DOF_WARP=64", "-o", "wavefronts", source], tmp_path)
    assert built.status == 0, built.err
    assert run(["./wavefronts"], tmp_path).out == OF_64_LANES


def test_nothing_is_counted_after_the_result(counts: list[dict[str, Any]]) -> None:
    named = {kernel for kernel, _, _ in EXPECTED}
    assert {one["kernel"] for one in counts} == named
    assert of(counts, "contiguous", "global", True) == [(1, 32, 4, 4)]


# ---- the hardware's counters -------------------------------------------------------------------
RECORD = json.loads((TOP / "tests/profile/ncu/h100.json").read_text(encoding="utf-8"))
PAGE = (TOP / "docs/counters.md").read_text(encoding="utf-8").splitlines()


def test_the_record_is_sound_and_complete() -> None:
    assert complaints(RECORD, "gemm-ncu") == []
    measured = {
        (" ".join([one["program"], *one["settings"]]), " ".join(map(str, one["problem"].values())))
        for one in RECORD["kernels"]
    }
    assert measured == {(words, size) for words in PROGRAMS for size in SIZES}
    named = re.findall(r"^(?:GLOBAL|SHARED|COPIES)\((\w+),", CONTROLS_CU.read_text(), re.MULTILINE)
    of_controls = {one["kernel"] for one in RECORD["kernels"] if one["program"] == CONTROLS}
    assert of_controls == set(named) and len(named) == 20


def test_the_page_has_a_line_for_each_and_no_other() -> None:
    rows = [line for line in PAGE if re.match(r"\| \S+.*\| \d+ \d+ \d+ \|", line)]
    assert len(rows) == len(set(rows)) == len(RECORD["kernels"])


@pytest.mark.slow
@pytest.mark.parametrize("words", PROGRAMS)
def test_the_page_says_what_is_counted_and_what_ncu_says(tmp_path: Path, words: str) -> None:
    """A line is made anew of the kept record and of what the emulation counts here."""
    needs("g++")
    lab, *settings = words.split()
    place = emulated(words, tmp_path)
    for size in SIZES:
        mine = ours(words, size, place)
        rows = [
            one
            for one in RECORD["kernels"]
            if (one["program"], one["settings"]) == (lab, settings)
            and " ".join(map(str, one["problem"].values())) == size
        ]
        unlike = [row["kernel"] for row in rows if line(row, mine[row["kernel"]]) not in PAGE]
        assert rows and unlike == [], size


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
__kernel void gemm(int M, int N, int K, __global const real *A, __global real *restrict C,
                   __local real *given)
{
    __local real a_tile[TILE_K][TILE_M], b_tile[1];"""


def test_arrays_have_the_names_of_the_source() -> None:
    cuda, opencl = Names(CUDA), Names(OPENCL)
    assert [cuda.of_global(n, "gemm") for n in (4, 5, 6, 9)] == ["A", "B", "C", "?"]
    assert [cuda.of_global(n, "first") for n in (1, 2)] == ["X", "Y"]
    assert [cuda.of_shared(n, 8) for n in (0, 1, 2, 3)] == ["rest", "a_tile, small", "b_tile", "?"]
    assert cuda.of_shared(1, 9) == "b_tile"  # which the line names alone
    assert [opencl.of_global(n, "gemm") for n in (4, 5, 7)] == ["A", "C", "?"]
    assert [opencl.of_shared(n, 0) for n in (1, 2, 3)] == ["given", "a_tile", "b_tile"]
