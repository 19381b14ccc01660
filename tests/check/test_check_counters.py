# SPDX-License-Identifier: MIT
"""NOT YET: make check gives the points for the idea of a lab where its counts are within the limits
of course.tsv, and says what speaks against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.copies import changed
from tests.grading import book, check, recorded
from tests.support import TOP, needs
from workbook.check import counters, grade
from workbook.lab import labs
from workbook.lab.course import Task
from workbook.lab.program import NOT_YET, PASS, Result
from workbook.profile.asked import Asked
from workbook.profile.run_counted import Profile

__all__ = ["book"]  # a fixture
C, CUDA, OPENCL = "lab02_avx", "lab08_cuda_naive", "lab04_ocl_naive"
SLOW = {
    CUDA: (
        "tests/profile/slow/uncoalesced.cu",
        "correct, but not the idea of lab 08: 33.5 sectors of global memory per multiply-add of a "
        "warp, the reference needs 5.06 (limit 15)",
    ),
    OPENCL: (
        "tests/profile/slow/strided.cl",
        "correct, but not the idea of lab 04: 17.2 sectors of global memory per multiply-add of a "
        "warp, the reference needs 4.06 (limit 15)",
    ),
    C: (
        "tests/ideas/lab02_avx.c",
        "correct, but not the idea of lab 02: kernel.c:{line}: no vector instruction, 1 "
        "multiply-add per instruction in the inner loop, the reference has 8 (at least 4)",
    ),
}


def entry(book: Path) -> dict[str, Any]:
    [found] = recorded(book)["labs"]
    return dict(found)


def test_a_kernel_within_the_limits_has_all_points(book: Path) -> None:
    needs("g++")
    check(book, CUDA).assert_says(0, "PASS 10/10 emulated", "1 passed, 0 failed, 0 skipped")
    found = entry(book)
    assert (found["points"], found["possible"]) == (10, 10)
    assert (found["counters"]["held"], found["counters"]["said"]) == (True, "")
    assert found["counters"]["now"]["sectors"] == 5.0625


@pytest.mark.parametrize("lab", SLOW)
def test_one_without_the_idea_is_not_yet(book: Path, lab: str) -> None:
    name, words = SLOW[lab]
    needs({CUDA: "g++", OPENCL: "clang", C: "objdump"}[lab])
    text = (TOP / name).read_text(encoding="utf-8")
    if lab == C:
        text = text.replace("WAY", "12")
        words = words.format(line=text[: text.rindex("sum += a[k]")].count("\n") + 1)
    with changed(next((book / lab).glob("kernel.c*")), text):
        said = check(book, lab)
    said.assert_says(1, f"{lab} NOT YET 7/10", words, "make hint", "0 passed, 1 failed, 0 skipped")
    found = entry(book)
    assert (found["verdict"], found["reason"], found["points"]) == (NOT_YET, words, 7)
    assert found["counters"]["held"] is False


def test_where_nothing_can_count_the_points_are_not_possible(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = labs.describe(str(book / CUDA), [])
    skipped = Profile(lab, lab.programs[0], skip="clang is not installed")
    monkeypatch.setattr(counters, "profile", lambda *_, **__: skipped)
    task = Task(5, 2, None, 0, 1, "", 3, "sectors<=8")
    one = grade.Grade(lab, programs=[Result("gemm", PASS)])
    one.counted = counters.ask(lab, task, [])
    assert one.counted.held is None
    assert one.counted.said == "no points for the idea: clang is not installed"
    assert (one.verdict, one.points(task), one.is_slow) == (PASS, (7, 7), False)
    one.counted, one.lacks_idea = Asked(False, "33 sectors"), True
    assert (one.verdict, one.points(task), one.is_slow) == (NOT_YET, (7, 10), True)
    assert (one.speeds, one.reason) == (["33 sectors"], "33 sectors")


@pytest.mark.parametrize(
    ("lab", "limits", "says"),
    [
        (C, "sectors<=8", "sectors of lab02_avx: OpenCL and CUDA labs have that"),
        (OPENCL, "lanes>=4", "lanes of lab04_ocl_naive: labs in C have that"),
    ],
)
def test_a_limit_belongs_to_a_language(book: Path, lab: str, limits: str, says: str) -> None:
    course = book / "course.tsv"
    text = course.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(lab))
    with changed(course, text.replace(row, row.rpartition("\t")[0] + f"\t{limits}")):
        check(book, lab).assert_says(2, f"course.tsv has a limit for {says}")


def test_without_a_limit_nothing_is_said(book: Path) -> None:
    course = book / "course.tsv"
    text = course.read_text(encoding="utf-8")
    name, _ = SLOW[CUDA]
    with changed(course, text.replace("\t3\tsectors<=15", "")):
        with changed(book / CUDA / "kernel.cu", (TOP / name).read_text(encoding="utf-8")):
            check(book, CUDA).assert_says(0, f"{CUDA} PASS 7/7")
    assert entry(book)["counters"] is None
