# SPDX-License-Identifier: MIT
"""OUT/decisions.tsv: what an instructor has decided, whatever was measured. It is applied last, to
each gradebook, and nothing here writes to it."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from workbook import UserError
from workbook.core.files import read_text
from workbook.core.suggest import suggest
from workbook.core.text import plain, printable
from workbook.lab.course import Task
from workbook.teacher.grade.class_setup import Terms

NAME = "decisions.tsv"
HEAD = ["submission", "lab", "points", "words", "date"]


@dataclass(frozen=True)
class Decision:
    where: str  # OUT/decisions.tsv:3
    points: float
    words: str
    date: str


Decisions = dict[
    tuple[str, str], Decision
]  # by the folder of the submission's results, and the lab


def read_decisions(path: Path, names: list[tuple[str, str]], course: dict[str, Task]) -> Decisions:
    """Of the submissions that there are, each with the folder of its results: both name it. A row
    that cannot be meant is a UserError, before anything is graded."""
    found: Decisions = {}
    if not os.path.lexists(path):
        return found
    for number, row in rows(path):
        where = f"{path}:{number}"
        if len(row) != len(HEAD):
            raise UserError(
                f"{where}: {len(row)} columns, where there are five: {', '.join(HEAD)}, a tab "
                "between two"
            )
        name, lab, points, words, day = (cell.strip() for cell in row)
        key = (whose(name, names, where), lab)
        if lab not in course:
            near = suggest(lab, list(course))
            raise UserError(
                f"{where}: no lab '{plain(lab)}' in course.tsv{f': {near}?' if near else ''}"
            )
        task = course[lab]
        decision = Decision(where, number_of(points, where), printable(words), day_of(day, where))
        require_possible(decision, task.correct + task.robust + task.idea + task.fast)
        if not decision.words:
            raise UserError(f"{where}: without words: the student is told why")
        if key in found:
            raise UserError(
                f"{where}: {printable(name)} {lab} is decided twice, first in {found[key].where}: "
                "remove one"
            )
        found[key] = decision
    return found


def rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """With the numbers of their lines; less the head, and lines that are empty."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), dialect="excel-tab", strict=True)
    try:
        head = [cell.strip() for cell in next(reader, [])]
        if head != HEAD:
            raise UserError(
                f"{path}:1: the first line names the columns: {', '.join(HEAD)}, a tab between two"
            )
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise UserError(
            f"{path}:{reader.line_num}: {error}: is there a quotation mark too many?"
        ) from error


def whose(name: str, names: list[tuple[str, str]], where: str) -> str:
    """The folder of the one submission that is called so, in the gradebook or in OUT."""
    said = {
        folder
        for known, folder in names
        if name in (known, printable(known), f"'{printable(known)}", folder)
    }
    if len(said) == 1:
        return said.pop()
    if said:
        raise UserError(
            f"{where}: '{printable(name)}' is several: give a folder of OUT: "
            f"{', '.join(sorted(said))}"
        )
    near = suggest(name, [folder for _, folder in names])
    raise UserError(f"{where}: no submission '{printable(name)}'{f': {near}?' if near else ''}")


def number_of(text: str, where: str) -> float:
    if not re.fullmatch(r"\d{1,6}(\.\d)?", text, re.ASCII):
        raise UserError(f"{where}: points '{plain(text)}': give a number, as 7 or 7.5")
    return float(text)


def day_of(text: str, where: str) -> str:
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise UserError(f"{where}: date '{plain(text)}': give a day as 2026-07-31")


def require_possible(decision: Decision, possible: float, why: str = "") -> None:
    if decision.points > possible:
        here = f" here: {why}" if why else ""
        raise UserError(
            f"{decision.where}: {decision.points:g} points, of {possible:g} that are possible{here}"
        )


def require_possible_here(decisions: Decisions, terms: list[Terms]) -> None:
    """No more than this machine can give points for, as soon as it is known."""
    untimed = {one.lab.name: one for one in terms if one.no_speed}
    for (_, lab), decision in decisions.items():
        if lab in untimed:
            task = untimed[lab].task
            possible = task.correct + task.robust + task.idea
            require_possible(decision, possible, untimed[lab].no_speed)


def decided(record: dict[str, Any], decision: Decision | None) -> dict[str, Any]:
    """A record with the points that count; what was measured stays beside them."""
    if decision is None:
        return {**record, "measured": record["points"], "decision": None}
    require_possible(decision, record["possible"])
    return {
        **record,
        "measured": record["points"],
        "points": decision.points,
        "decision": vars(decision),
    }


def decision_of(record: dict[str, Any]) -> str:
    """In words, of one that is decided; else nothing."""
    if record["decision"] is None:
        return ""
    said = record["decision"]
    return f"decided on {said['date']}: {said['words']} (measured: {record['measured']:g})"
