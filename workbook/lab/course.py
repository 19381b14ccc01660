# SPDX-License-Identifier: MIT
"""What a course asks for: course.tsv. check and grade give points by it, progress and handout go
through its labs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.files import read_text
from workbook.core.suggest import suggest
from workbook.core.text import plain
from workbook.lab.labs import ADVANCED

COURSE = TOP / "course.tsv"
BEYOND = TOP / ADVANCED / "course.tsv"  # of the advanced labs
MOST_POINTS = 1000  # for one part
WANTED = (
    "lab, points (whole, at most 1000) for correct and for robust, times or -, points for that (0 "
    "without times), threads, when due, points for the idea and its limits (conflicts<=0.5 "
    "share>=0.4); a tab between two"
)
MOST, LEAST = "limit", "at least"
OF_GPUS = {"sectors": MOST, "loads": MOST, "conflicts": MOST, "share": LEAST}
OF_C = {"lanes": LEAST, "sums": LEAST, "unpacked": MOST}
BOUNDS = {**OF_GPUS, **OF_C}  # what a course may ask for
BOUND = re.compile(r"(\w+)(<=|>=|=)(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Task:
    """One lab of the course."""

    correct: int  # points, if every program is right on every shape
    robust: int  # points more, if it is free of races and stays inside its matrices
    times: float | None  # as fast as the lab before, for
    fast: int  # points more
    threads: int  # that its kernel may use, of a CPU lab
    due: str  # in the course's own words; "" where it says none
    idea: int = 0  # points more, where counts of its kernel are within
    limits: str = ""  # these bounds, as course.tsv has them

    @property
    def bounds(self) -> dict[str, float]:
        """By the count. ValueError where they are none."""
        found: dict[str, float] = {}
        for word in self.limits.split():
            bound = BOUND.fullmatch(word)
            if bound is None or bound[1] in found or bound[1] not in BOUNDS:
                raise ValueError
            if bound[2] not in ("=", "<=" if BOUNDS[bound[1]] == MOST else ">="):
                raise ValueError
            found[bound[1]] = float(bound[3])
        return found


def read_course(path: Path = COURSE) -> dict[str, Task]:
    """The labs in their order."""
    table: dict[str, Task] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        lab, *values = line.split("\t")
        try:
            task = task_of(values)
        except ValueError as error:
            raise UserError(
                f"{path}:{number}: '{plain(line)}' is not as the others: {WANTED}"
            ) from error
        if lab in table:
            raise UserError(f"{path}:{number}: {lab} is there twice: which of the two counts?")
        table[lab] = task
    if not table:
        raise UserError(f"{path}: names no lab: {WANTED}")
    return table


def read_whole_course() -> dict[str, Task]:
    """For who goes through all of its labs: each of them is here."""
    table = read_course()
    for lab in table:
        if not (TOP / lab).is_dir():
            near = suggest(lab, [folder.name for folder in TOP.glob("lab*")])
            raise UserError(f"{COURSE}: there is no {lab} here" + (f": {near}?" if near else ""))
    return table


def task_of(values: list[str]) -> Task:
    """ValueError where they are not what a row has."""
    values = [*values, *("-", "0", "-")[len(values) - 5 :]] if len(values) in (5, 6) else values
    correct, robust, times, fast, threads, due, idea, limits = values
    task = Task(
        correct=int(correct),
        robust=int(robust),
        times=None if times == "-" else float(times),
        fast=int(fast),
        threads=int(threads),
        due="" if due == "-" else due,
        idea=int(idea),
        limits="" if limits == "-" else limits,
    )
    fair = task.times is None and task.fast == 0 or task.times is not None and 0 < task.times < 1e6
    fair = fair and bool(task.bounds) == (task.idea > 0)
    # A kernel that uses no shared memory has no conflicts: a floor belongs to that.
    fair = fair and ("conflicts" not in task.bounds or task.bounds.get("share", 0) > 0)
    parts = (task.correct, task.robust, task.fast, task.idea)
    if min(parts) < 0 or max(parts) > MOST_POINTS or not 1 <= task.threads <= 1024 or not fair:
        raise ValueError
    return task
