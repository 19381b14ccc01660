# SPDX-License-Identifier: MIT
"""course.tsv: what a course asks for. A row that cannot be meant is refused, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import TOP, make
from workbook import UserError
from workbook.lab.course import Task, read_course

LAB = "lab02_avx"


def course(path: Path, text: str) -> Path:
    (path / "course.tsv").write_text(text, encoding="utf-8")
    return path / "course.tsv"


def test_the_workbooks_own_names_every_lab() -> None:
    assert list(read_course()) == sorted(path.name for path in TOP.glob("lab[0-9]*"))


def test_each_lab_has_ten_points_and_all_but_the_first_a_limit() -> None:
    rows = read_course().values()
    assert {one.correct + one.robust + one.fast + one.idea for one in rows} == {10}
    assert [bool(one.bounds) for one in rows] == [False, *[True] * 8]


def test_what_a_row_says(tmp_path: Path) -> None:
    rows = "\ufeff# a comment\n\nlab02_avx\t5\t2\t5\t3\t4\tFriday, 2 December (at noon)\n"
    rows += "lab01_cpu_naive\t8\t2\t-\t0\t1\n"
    task, other = read_course(course(tmp_path, rows)).values()
    assert task == Task(5, 2, 5.0, 3, 4, "Friday, 2 December (at noon)")
    assert other == Task(8, 2, None, 0, 1, "")


def test_a_row_that_asks_for_counters(tmp_path: Path) -> None:
    asked = "sectors<=4.5 conflicts=0 share>=0.25"
    [task] = read_course(course(tmp_path, f"{LAB}\t5\t2\t-\t0\t1\t-\t3\t{asked}\n")).values()
    assert task == Task(5, 2, None, 0, 1, "", 3, asked)
    assert task.bounds == {"sectors": 4.5, "conflicts": 0, "share": 0.25}


@pytest.mark.parametrize(
    "row",
    [
        "5", "5\t2\t5", "five\t2\t5\t3\t1\t-", "5.5\t2\t5\t3\t1\t-", "-5\t2\t5\t3\t1\t-",
        "5\t-2\t5\t3\t1\t-",
        "1001\t2\t5\t3\t1\t-",
        "5\t2\tnan\t3\t1\t-", "5\t2\tinf\t3\t1\t-", "5\t2\t0\t3\t1\t-", "5\t2\t-\t3\t1\t-",
        "5\t2\t5\t-3\t1\t-",
        "5\t2\t5\t3\t0\t-", "5\t2\t5\t3\t1\tFriday\t23:59",
        # Points without bounds, bounds without points, a bound that is none, one twice.
        "5\t2\t-\t0\t1\t-\t3\t-", "5\t2\t-\t0\t1\t-\t0\tsectors<=8",
        "5\t2\t-\t0\t1\t-\t3\tmisses<=8", "5\t2\t-\t0\t1\t-\t3\tsectors>=8",
        "5\t2\t-\t0\t1\t-\t3\tshare<=8", "5\t2\t-\t0\t1\t-\t3\tsectors<=8 sectors=4",
        "5\t2\t-\t0\t1\t-\t-3\tsectors<=8", "5\t2\t-\t0\t1\t-\t3\tsectors<=nan",
        # Who shares nothing would pass.
        "5\t2\t-\t0\t1\t-\t3\tconflicts=0", "5\t2\t-\t0\t1\t-\t3\tconflicts=0 share>=0",
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_meant(tmp_path: Path, row: str) -> None:
    with pytest.raises(
        UserError,
        match=r"course.tsv:2: .* is not as the others: lab, points \(whole, at most 1000\)",
    ):
        read_course(course(tmp_path, f"# lab\n{LAB}\t{row}\n"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names no lab"),
        ("# nothing\n", "names no lab"),
        (f"{LAB}\t5\t2\t5\t3\t1\t-\n" * 2, f":2: {LAB} is there twice"),
    ],
)
def test_a_table_that_cannot_be_meant(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        read_course(course(tmp_path, text))


@pytest.mark.parametrize("command", ["check", "progress", "handout OUT=new"])
def test_an_empty_course_is_named(clone: Path, command: str) -> None:
    course(clone, "# none\n")
    said = make(clone, *command.split())
    assert said.status == 2
    assert "course.tsv" in said.err
    assert "names no lab" in said.err


@pytest.mark.parametrize("command", ["progress", "handout OUT=new"])
def test_a_lab_that_is_not_there_is_named(clone: Path, command: str) -> None:
    file = clone / "course.tsv"
    course(clone, file.read_text().replace("lab02_avx", "lab02_axv"))
    said = make(clone, *command.split())
    assert said.status == 2
    assert f"{file}: there is no lab02_axv here: lab02_avx?" in said.err
    assert "not in course.tsv: lab02_avx" in make(clone, "-n", "check").out
