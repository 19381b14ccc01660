# SPDX-License-Identifier: MIT
"""next LAB: where the present step passes, goes on to the starting point of the next one."""

from __future__ import annotations

from pathlib import Path

from workbook import Mistake
from workbook.arguments import one_lab
from workbook.check.grade import Grade
from workbook.course import read_course
from workbook.desk import Desk, begun, kept_line
from workbook.examine import examine
from workbook.files import put
from workbook.labs import number_of
from workbook.program import PASS, SKIP
from workbook.stages import LAST, Stage, stages, starting_point
from workbook.start import told
from workbook.text import wrap


def passing(stage: Stage, grade: Grade) -> list[str]:
    lines = [
        f"{stage.label} passes: {grade.right} of {grade.tried} shapes are right",
        f"  memory   {grade.race.verdict} (make race looks further)",
    ]
    if grade.speed.speedup is not None:
        lines.append(f"  speed    {grade.speed.told}")
    return lines


def go_on(desk: Desk, stage: Stage, following: Stage) -> list[str]:
    """The student's kernel of the step that passed is what the next one begins from."""
    begins = f"your kernel of {stage.label}"
    point = starting_point(following, desk.kernel, begins)
    if stage.reference is None:  # in a student's copy its place among the lab's variants is free
        put(Path(desk.lab.path, stage.file), desk.kernel.read_bytes())
    return [*kept_line(desk.begin(following, point)), told(desk, following, point, begins)]


def main(words: list[str]) -> int:
    lab = one_lab("next", words, "Where the present step passes, goes on to the next one.")
    desk = begun(Desk(lab))
    stage, names = desk.stage, [one.name for one in stages(lab)]
    grade = examine(lab, timed=stage.name == LAST)
    if grade.verdict == SKIP:
        raise Mistake(f"{lab.name} cannot be judged here: {grade.reason}")
    if grade.verdict != PASS:
        print(
            "\n".join([*wrap(f"{stage.label} does not pass: {grade.reason}", "", "  "), "  next: make hint"])
        )
        return 1
    passed = {*desk.known["passed"], stage.name}
    desk.remember(passed=[name for name in names if name in passed])
    desk.keep()
    print("\n".join(passing(stage, grade)))
    if stage.name != LAST:
        print("\n".join(go_on(desk, stage, stages(lab)[names.index(stage.name) + 1])))
        return 0
    later = [name for name in read_course() if name > lab.name]
    print(f"  next     make start LAB={number_of(later[0])}" if later else "  that was the last lab")
    return 0
