# SPDX-License-Identifier: MIT
"""The race run that make check owes: a right result is not enough where a barrier is missing."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from tests.grading import Submit, book, check, kernel_alone, submit
from tests.support import TOP, needs, without
from workbook.check.grade import Grade
from workbook.check.race import Race, judge, race
from workbook.check.table import notes
from workbook.lab.labs import Lab, describe
from workbook.lab.program import FAIL, PASS, SKIP, Result
from workbook.race.findings import Finding
from workbook.race.run_tools import ToolRun
from workbook.student.check_kernel import is_for_tools
from workbook.student.hints import evidence

__all__ = ["book", "kernel_alone", "submit"]  # fixtures
OPENCL, CUDA, NAIVE = "lab07_ocl_localmem", "lab09_cuda_shared", "lab08_cuda_naive"
NAIVE_OPENCL, COARSE = "lab04_ocl_naive", "lab05_ocl_coarsen"
BARRIER = r".*(?:barrier\(|__syncthreads).*\n"


def without_barrier(text: str, which: str) -> str:
    if which == "each":
        return re.sub(BARRIER, "", text)
    places = list(re.finditer(BARRIER, text))
    gone = places[0 if which == "first" else 1]
    return text[: gone.start()] + text[gone.end() :]


def test_an_element_that_several_threads_store(book: Path, submit: Submit) -> None:
    """The result is right, as all of them store the same; nobody waits for anybody, or shares."""
    file = f"{NAIVE}/kernel.cu"
    for at, dimension, size in ("col", "x", "N"), ("row", "y", "M"):
        index = f"blockIdx.{dimension} * blockDim.{dimension} + threadIdx.{dimension};"
        clamped = (
            f"{dimension} = {index[:-1]}, {at} = {dimension} < {size} ? {dimension} : {size} - 1;"
        )
        submit(f"{at} = {index}", clamped, file, includes="")
    check(book, NAIVE).assert_says(1, "66/66 FAIL", "kernel.cu:17", "data race")


FOUR_COLUMNS = """#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int i = get_global_id(1), j = get_group_id(0) * TILE_N + get_local_id(0) * 4;
    for (int c = j; i < M && c < min(j + 4, N); c++) {
        real sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[i * K + k] * B[k * N + c];
        C[i * N + c] = sum;
    }
}
"""
VALUES_OF_CHECK = "not with the values of params.h, which make grade takes"


def test_a_race_with_other_tunables_alone(book: Path, submit: Submit, kernel_alone: None) -> None:
    """4 stands where COLS_PER_ITEM belongs: with 3 neighbours store the same, and the result is
    right. make grade sees no race, and docs/handing-in.md says that make check tells that."""
    needs("clang")
    file = f"{COARSE}/kernel.cl"
    submit((TOP / file).read_text(), FOUR_COLUMNS, file, includes="")
    said = check(book, COARSE)
    said.assert_says(1, "data race", "with GROUP_X=8 GROUP_Y=4 COLS_PER_ITEM=3", VALUES_OF_CHECK)
    at_any = FOUR_COLUMNS.replace("j + 4, N", "j + 5, N")
    submit(FOUR_COLUMNS, at_any, file, includes="")
    said = check(book, COARSE)
    said.assert_says(1, "data race")
    assert "with GROUP_X=8" not in said.text


@pytest.mark.slow
@pytest.mark.parametrize("which", ["first", "second", "each"])
@pytest.mark.parametrize(
    ("lab", "kernel", "points"),
    [(OPENCL, "kernel.cl", 10), (CUDA, "kernel.cu", 10)],
    ids=["opencl", "cuda"],
)
def test_a_missing_barrier(
    book: Path, submit: Submit, kernel_alone: None, lab: str, kernel: str, points: int, which: str
) -> None:
    if kernel == "kernel.cl":
        needs("clang")
    text = (TOP / lab / kernel).read_text()
    submit(text, without_barrier(text, which), f"{lab}/{kernel}", includes="")
    check(book, lab).assert_says(1, f"FAIL 0/{points}", "data race")


def test_no_tool_is_blamed_for_what_is_not_done_yet(book: Path, submit: Submit) -> None:
    text = (TOP / CUDA / "kernel.cu").read_text()
    submit(text, f"{text}// TODO: all of it\n", f"{CUDA}/kernel.cu", includes="")
    said = check(book, CUDA)
    said.assert_says(1, "kernel.cu:", "still says TODO")
    assert "race" not in said.text


@pytest.mark.slow
def test_a_race_run_that_cannot_be_is_told(book: Path, kernel_alone: None, tmp_path: Path) -> None:
    said = check(book, OPENCL, **without("clang", tmp_path / "bin"))
    said.assert_says(0, "race not run: clang is not installed", "PASS 7/7")


@pytest.fixture
def lab(tree: Path) -> Lab:
    """Whose only program is gemm."""
    said = describe(str(tree / CUDA), [])
    return replace(said, programs=said.programs[:1])


@pytest.mark.parametrize(
    ("run", "verdict", "reason"),
    [
        (None, "FAIL", "nothing is said of gemm"),
        (ToolRun("gemm_other", "TSan", "PASS"), "FAIL", "nothing is said of gemm"),
        (ToolRun(None, "TSan", "SKIP"), "FAIL", "skipped without a reason"),
        (ToolRun(None, "TSan", "SKIP", "no TSan here"), "SKIP", "no TSan here"),
        (
            ToolRun("gemm", "TSan", "FAIL", finding=Finding("build", "error")),
            "SKIP",
            "gemm error",
        ),
        (ToolRun("gemm", "TSan", "FAIL", "", Finding("race")), "FAIL", "found in gemm"),
        (
            ToolRun("gemm", "TSan", "FAIL", "", Finding("wrong", "wrong result")),
            "FAIL",
            "the result is wrong; no tool finds a race, or an access out of bounds",
        ),
        (ToolRun("gemm", "TSan", "PASS"), "PASS", ""),
    ],
    ids=[
        "silent",
        "another-program",
        "skip",
        "skip-with-a-reason",
        "does-not-build",
        "race",
        "wrong",
        "right",
    ],
)
def test_what_a_race_run_must_say(lab: Lab, run: ToolRun | None, verdict: str, reason: str) -> None:
    race = judge(lab, [run] if run else [])
    assert (race.verdict, race.reason) == (verdict, reason)


ENDLESS = """#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    C[PLACE] = A[0] + B[0] + M + N + K;
    for (volatile int forever = 1; forever;)
        ;
}
"""


@pytest.mark.parametrize(("place", "verdict"), [("0", "SKIP"), ("M * N", "FAIL")])
def test_no_tool_waits_for_a_kernel_that_check_has_stopped(
    book: Path, submit: Submit, kernel_alone: None, place: str, verdict: str
) -> None:
    """What was found by then counts."""
    needs("clang")
    text = (TOP / NAIVE_OPENCL / "kernel.cl").read_text()
    endless = ENDLESS.replace("PLACE", place)
    submit(text, endless, f"{NAIVE_OPENCL}/kernel.cl", includes="")
    grade = Grade(describe(str(book / NAIVE_OPENCL), []))
    asked = count()

    def has_stopped(program: str) -> bool:
        """What the tool finds it finds in less: each look takes a fifth of a second or more."""
        if next(asked) > (20 if verdict == SKIP else 300):
            grade.programs = [Result(program, FAIL, "no result within 20 s", status=-15)]
        return grade.has_stopped(program)

    grade.race = race(grade.lab, [], has_stopped)
    assert (grade.race.verdict, grade.race.kind) == (verdict, "bounds" if verdict == FAIL else "")
    if verdict == SKIP:
        assert "race not run: make check has stopped" in " ".join(
            " ".join(notes(grade, [])).split()
        )


def test_who_crashes_was_not_stopped(lab: Lab) -> None:
    crashed = Result("gemm", FAIL, "crashed", status=-11, crashed=True)
    other = Result("gemm_other", FAIL, "no result", status=-15)
    assert not Grade(lab, programs=[crashed, other]).has_stopped("gemm")


def test_a_race_may_be_what_is_wrong_with_other_tunables(lab: Lab) -> None:
    """A barrier is missing, and with small groups it shows: no number is written in a tunable's
    place."""
    other = Result(
        "gemm", FAIL, "with BLOCK=7 it is wrong: is a number written", settings=("BLOCK=7",)
    )
    grade = Grade(lab, programs=[Result("gemm", PASS), other], race=Race(PASS))
    assert (grade.verdict, grade.first_reason) == (FAIL, other.reason)
    assert any("is a number written" in line for line in notes(grade, []))
    grade.race = Race(FAIL, "found in gemm", ("line 27 reads what line 18 writes",), "race")
    assert (grade.verdict, grade.first_reason) == (FAIL, "race: found in gemm")
    assert not any("is a number written" in line for line in notes(grade, []))
    assert evidence(grade) == "race"
    grade.race = Race(FAIL, "found in gemm", ("a wrong result that no tool explains",), "wrong")
    assert grade.first_reason == other.reason


@pytest.mark.parametrize(
    ("programs", "looked"),
    [
        ([], True),
        ([Result("gemm", PASS)], True),
        ([Result("gemm", FAIL, record={"finding": {"kind": "race"}})], True),
        ([Result("gemm", FAIL, record={"finding": {"kind": "index"}})], False),
        ([Result("gemm", FAIL, "no result within 40 s")], False),
        ([Result("gemm", FAIL, "crashed with signal 11", crashed=True)], True),
        ([Result("gemm", PASS), Result("gemm", FAIL, "with BLOCK=7", settings=("BLOCK=7",))], True),
    ],
)
def test_where_a_race_may_be_the_cause_it_is_looked_for(
    lab: Lab, programs: list[Result], looked: bool
) -> None:
    assert is_for_tools(Grade(lab, programs=programs)) == looked
