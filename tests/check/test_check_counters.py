# SPDX-License-Identifier: MIT
"""make check gives points for counters where course.tsv asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.copies import changed
from tests.grading import book, check, recorded
from tests.support import TOP, needs
from workbook.check import counters, grade
from workbook.lab import labs
from workbook.lab.course import Task
from workbook.lab.program import PASS
from workbook.profile.asked import Asked
from workbook.profile.run_counted import Profile

__all__ = ["book"]  # a fixture
CUDA, OPENCL = "lab08_cuda_naive", "lab04_ocl_naive"
SLOW = {
    CUDA: ("uncoalesced.cu", "sectors: now 33.5, reference 5.06, limit 8"),
    OPENCL: ("strided.cl", "sectors: now 17.2, reference 4.06, limit 8"),
}


@pytest.fixture
def asking(book: Path) -> Iterator[None]:
    """Five points are for being right, three for sectors."""
    course = book / "course.tsv"
    text = course.read_text(encoding="utf-8")
    with changed(course, text.replace("8\t2\t-\t0\t1\t-", "5\t2\t-\t0\t1\t-\t3\tsectors<=8")):
        yield


def entry(book: Path) -> dict[str, Any]:
    [found] = recorded(book)["labs"]
    return dict(found)


@pytest.mark.usefixtures("asking")
def test_a_kernel_within_the_bounds_has_all_points(book: Path) -> None:
    needs("g++")
    said = check(book, CUDA)
    said.assert_says(0, "PASS 10/10 emulated", "sectors: now 5.06, reference 5.06, limit 8")
    found = entry(book)
    assert (found["points"], found["possible"]) == (10, 10)
    assert found["counters"]["held"] is True
    assert found["counters"]["now"] == {"sectors": 5.0625, "conflicts": 0, "shared": 0}


@pytest.mark.usefixtures("asking")
@pytest.mark.parametrize("lab", SLOW)
def test_a_slow_one_passes_without_them(book: Path, lab: str) -> None:
    needs("g++" if lab == CUDA else "clang")
    name, words = SLOW[lab]
    text = (TOP / "tests/profile/slow" / name).read_text(encoding="utf-8")
    with changed(next((book / lab).glob("kernel.c*")), text):
        said = check(book, lab)
    said.assert_says(0, "PASS 7/10", words, "make profile")
    assert entry(book)["counters"]["held"] is False


@pytest.mark.usefixtures("asking")
def test_where_nothing_can_count_the_points_are_not_possible(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = labs.describe(str(book / CUDA), [])
    skipped = Profile(lab, lab.programs[0], skip="clang is not installed")
    monkeypatch.setattr(counters, "profile", lambda *_: skipped)
    task = Task(5, 2, None, 0, 1, "", 3, "sectors<=8")
    one = grade.Grade(lab)
    one.counted = counters.ask(lab, task, [])
    assert one.counted.held is None
    assert one.counted.said == "no points for counters: clang is not installed"
    monkeypatch.setattr(grade.Grade, "verdict", PASS)
    assert (one.points(task), one.is_slow) == ((7, 7), False)
    one.counted = Asked(False, "sectors: now 33, limit 8")
    assert (one.points(task), one.is_slow) == ((7, 10), True)
    assert one.speeds == ["counters: sectors: now 33, limit 8"]


def test_a_lab_in_c_has_no_counters(book: Path) -> None:
    course = book / "course.tsv"
    text = course.read_text(encoding="utf-8")
    asks = text.replace("lab02_avx\t5\t2\t5\t3\t1\t-", "lab02_avx\t5\t2\t5\t3\t1\t-\t3\tsectors<=8")
    assert asks != text
    with changed(course, asks):
        said = check(book, "lab02_avx")
    said.assert_says(2, "course.tsv asks for counters of lab02_avx: OpenCL and CUDA labs alone")
