# SPDX-License-Identifier: MIT
"""What a check leaves for other tools: build/check.json, of all labs that were asked for; and in
each lab the same of that lab alone, as soon as it is there."""

from __future__ import annotations

from typing import Any

from workbook import TOP
from workbook.check.grade import Grade, as_record
from workbook.check.race import needs_tools
from workbook.core.records import NoRecord, of_labs, read, write
from workbook.lab.course import Task, read_course

SCHEMA = "gemm-check/2"
RECORD = TOP / "build/check.json"
A_LAB = 6.0  # seconds that one takes,
A_RACE = 15.0  # and its race run, about, where no former check says more


def expected(grades: list[Grade]) -> float:
    """Seconds, as the former check of these labs says, or about."""
    try:
        former = read(RECORD, {"schema": SCHEMA, "seconds": float, "labs": [{"lab": str}]})
    except NoRecord:
        former = {"labs": []}
    if [entry["lab"] for entry in former["labs"]] == [grade.lab.name for grade in grades]:
        return float(former["seconds"])
    return sum(A_LAB + A_RACE * needs_tools(grade.lab) for grade in grades)


def as_json(
    grades: list[Grade], worth: dict[str, Task], settings: list[str], seconds: float
) -> dict[str, Any]:
    entries = [as_record(grade, worth.get(grade.lab.name)) for grade in grades]
    points = {name: sum(entry[name] for entry in entries) for name in ("points", "possible")}
    return {**of_labs(SCHEMA, grades[0].lab.type, settings, seconds, entries), **points}


def save(grade: Grade, settings: list[str]) -> None:
    """Of one lab, once nothing is owed; and as it is graded, in float and with its own tunables."""
    if grade.complete and all(setting.startswith("LIMIT=") for setting in settings):
        write(grade.lab.path / "build/check.json", as_json([grade], read_course(), settings, 0.0))
