# SPDX-License-Identifier: MIT
"""What a course asks for: course.tsv. check gives points by it, progress and handout go through its labs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, Mistake

COURSE = TOP / "course.tsv"


@dataclass(frozen=True)
class Task:
    """One lab of the course."""

    correct: int  # points, if every program is right on every shape, and free of races
    times: float | None  # as fast as the lab before, for
    fast: int  # points more
    due: str  # in the course's own words; "" where it says none


def read_course(path: Path = COURSE) -> dict[str, Task]:
    """The labs in their order."""
    table: dict[str, Task] = {}
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"{path}: is no UTF-8 text") from error
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            lab, correct, times, fast, due = (*line.split("\t"), "")[:5]
            task = Task(int(correct), None if times == "-" else float(times), int(fast), due.strip("-"))
        except ValueError as error:
            wanted = "lab, points, times or -, points, when it is due, separated by tabs"
            raise Mistake(f"{path}:{number}: '{line}' is not as the others: {wanted}") from error
        if lab in table:
            raise Mistake(f"{path}:{number}: {lab} is there twice: which of the two counts?")
        table[lab] = task
    return table
