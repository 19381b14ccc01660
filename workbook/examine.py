# SPDX-License-Identifier: MIT
"""What make check would say of a student's own kernel, and of nothing else in its lab."""

from __future__ import annotations

import os
from dataclasses import replace

from workbook.check import look_for_races, time_all, verify
from workbook.check.grade import Grade
from workbook.check.race import needs_tools
from workbook.check.record import RECORD, save
from workbook.course import read_course
from workbook.labs import Lab
from workbook.lock import lock
from workbook.meter import Progress
from workbook.program import FAIL

A_KERNEL = 5.0  # seconds, about
PATIENCE = 40  # seconds for one run: who waits for a hint has a loop that does not end


def examine(lab: Lab, timed: bool = False) -> Grade:
    """Verified over the battery; if it is right, its memory is looked at; and timed, if asked for."""
    os.environ.setdefault("LIMIT", str(PATIENCE))
    RECORD.parent.mkdir(exist_ok=True)
    with lock(RECORD.with_name("check.lock")):
        return judge(lab, timed)


def judge(lab: Lab, timed: bool) -> Grade:
    grade = Grade(replace(lab, programs=lab.programs[:1]))
    progress = Progress(lab.name, A_KERNEL)
    try:
        verify(grade, [], progress)
        if needs_tools(lab) and grade.verdict != FAIL:
            look_for_races(grade, [], progress)
        if timed:
            time_all([grade], read_course(), [], progress)
    finally:
        progress.clear()
    save(grade, [])
    return grade
