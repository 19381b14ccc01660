# SPDX-License-Identifier: MIT
"""What make check would say of a student's own kernel, and of nothing else in its lab; and whether
it has the idea of its step: NOT YET is said of the lab, and an earlier step may be without it."""

from __future__ import annotations

import os
from dataclasses import replace

from workbook import UserError
from workbook.check.check import count_all, look_for_races, time_all, verify
from workbook.check.grade import Grade
from workbook.check.idea import ENOUGH, has_idea
from workbook.check.race import needs_tools
from workbook.check.record import A_RACE, RECORD, save
from workbook.core.lock import lock
from workbook.core.progress_bar import ProgressBar
from workbook.lab.course import read_course
from workbook.lab.program import FAIL, NOT_YET, SKIP, TODO
from workbook.lab.stages import LAST, Stage
from workbook.lab.workspace import Workspace
from workbook.profile.asked import missed_by_step

A_KERNEL, A_LOOK, A_PAIR = 5.0, 6.0, 3.0  # seconds, about; the last of two that are compared
PATIENCE = 40  # seconds for one run: who waits for a hint has a loop that does not end


def examine(desk: Workspace, compared: bool = True) -> Grade:
    """Verified over the battery; tools look at its memory, if it is right or that may be to blame;
    and if it is right, it is timed and compared."""
    os.environ.setdefault("LIMIT", str(PATIENCE))
    with lock(RECORD.with_name("check.lock")):
        grade = judge(desk, compared)
    if grade.verdict == SKIP:
        raise UserError(f"{desk.lab.name} cannot be judged here: {grade.reason}")
    return grade


def judge(desk: Workspace, compared: bool) -> Grade:
    lab = desk.lab
    grade = Grade(replace(lab, programs=lab.programs[:1]))
    pairs = ENOUGH if desk.stage.name in [name for name, _, _ in lab.pays] else 0
    about = A_KERNEL + (A_RACE if needs_tools(lab) else A_LOOK) + A_PAIR * pairs
    with ProgressBar(lab.name, about) as progress:
        verify(grade, [], progress)
        if is_for_tools(grade):
            look(grade, progress)
        count_all([grade], read_course(), [], progress)
        grade.lacks_idea = lacks_idea(desk.stage, grade)
        if compared and grade.is_right and not grade.lacks_idea:
            grade.idea = has_idea(desk.stage, progress)
        if desk.stage.name == LAST and not grade.lacks_idea:
            time_all([grade], read_course(), [], progress)
    save(grade, [])
    return grade


def lacks_idea(stage: Stage, grade: Grade) -> bool:
    """One of the counts that the step is to have."""
    if grade.verdict != NOT_YET or stage.name == LAST:
        return grade.verdict == NOT_YET
    lab = stage.lab.name
    return missed_by_step(read_course()[lab], lab, stage.name, grade.counted.missed)


def is_for_tools(grade: Grade) -> bool:
    """Of what is wrong for another reason they say nothing."""
    wrong = [one for one in grade.programs if one.verdict == FAIL and not one.settings]
    by_memory = (one.finding.get("kind", "") in (None, "race", "outside") for one in wrong)
    blamed = all(one.crashed or memory for one, memory in zip(wrong, by_memory))
    return not grade.unbuilt and grade.verdict != TODO and blamed


def look(grade: Grade, progress: ProgressBar) -> None:
    """What the tools find; else, of a CPU lab, what its traps did."""
    by_traps, right = grade.race, grade.is_right
    look_for_races(grade, [], progress)
    found = grade.race.found or (right and grade.race.verdict == FAIL)
    if by_traps.verdict != "-" and not found:
        grade.race = by_traps
