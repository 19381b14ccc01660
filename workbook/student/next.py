# SPDX-License-Identifier: MIT
"""next LAB: where the present step passes, and has its idea, goes on to the starting point of the
next."""

from __future__ import annotations

from pathlib import Path

from workbook import TOP, flag
from workbook.check.grade import Grade
from workbook.core.files import put
from workbook.core.text import wrap
from workbook.core.typed import command
from workbook.lab.arguments import one_lab
from workbook.lab.course import read_course
from workbook.lab.program import NOT_YET
from workbook.lab.stages import LAST, Stage, stages, starting_point
from workbook.lab.workspace import Workspace, begun, kept_line
from workbook.student.check_kernel import examine
from workbook.student.start import summary


def passing(stage: Stage, grade: Grade) -> list[str]:
    race = command(stage.lab.path, "race")
    return [
        f"{stage.label} passes: {grade.right} of {grade.tried} shapes are right",
        f"  memory   {grade.race.verdict} ({race} looks further)",
        *(line for said in grade.speeds for line in wrap(f"speed    {said}", "  ", " " * 11)),
        *(wrap(grade.edited, "  edited   ", " " * 11) if grade.edited else []),
    ]


def failing(stage: Stage, grade: Grade) -> list[str]:
    """It is wrong; or right, and without the idea of its step, as far as one can tell."""
    hint = f"  next: {command(stage.lab.path, 'hint')}"
    if not grade.is_right:
        said = f"{stage.label} does not pass: {grade.reason}"
        return [*wrap(said, "", "  "), *grade.race.found, hint]
    go_on_anyway = command(stage.lab.path, "next ANYWAY=1")
    if grade.idea.unknown:
        said = f"{stage.label} is right; whether it is the idea is not known: {grade.idea.unknown}"
        return [*wrap(said, "", "  "), *wrap(f"to go on all the same: {go_on_anyway}", "  ")]
    said = f"{stage.label} is {NOT_YET}: {grade.counted.said}"
    otherwise = f"to go on all the same: {go_on_anyway}"
    if not grade.lacks_idea:
        said = f"{stage.label} is {NOT_YET}: correct, but not the idea: {grade.idea.summary}"
        otherwise = f"if this device gains nothing by the step: {go_on_anyway}"
    return [*wrap(said, "", "  "), hint, *wrap(otherwise, "  ")]


def go_on(desk: Workspace, stage: Stage, following: Stage) -> list[str]:
    """The student's kernel of the step that passed is what the next one begins from."""
    begins = f"your kernel of {stage.label}"
    point = starting_point(following, desk.kernel, begins)
    if stage.reference is None:  # in a student's copy its place among the lab's variants is free
        put(Path(desk.lab.path, stage.file), desk.kernel.read_bytes())
    return [*kept_line(desk.begin(following, point)), summary(desk, following, point, begins)]


def main(words: list[str]) -> int:
    lab = one_lab(
        "next",
        words,
        "Where the present step passes, and has its idea, goes on to the next one.",
        "ANYWAY=1: where it is right, however fast.",
    )
    desk = begun(Workspace(lab))
    stage, names = desk.stage, [one.name for one in stages(lab)]
    grade = examine(desk, compared=not flag("ANYWAY"))
    has_idea = flag("ANYWAY") or grade.idea.is_there and not grade.lacks_idea
    if not grade.is_right or not has_idea:
        print("\n".join(failing(stage, grade)))
        return 1
    passed = {*desk.known["passed"], stage.name}
    desk.remember(passed=[name for name in names if name in passed])
    desk.keep()
    print("\n".join(passing(stage, grade)))
    if stage.name != LAST:
        print("\n".join(go_on(desk, stage, stages(lab)[names.index(stage.name) + 1])))
        return 0
    later = [name for name in read_course() if name > lab.name]
    print(f"  next     {command(TOP / later[0], 'start')}" if later else "  that was the last lab")
    return 0
