# SPDX-License-Identifier: MIT
"""next LAB: where the present step passes, goes on to the starting point of the next one."""

from __future__ import annotations

from workbook import Mistake
from workbook.arguments import one_lab
from workbook.desk import Desk, kept_line
from workbook.examine import examine
from workbook.files import put
from workbook.labs import ladder
from workbook.program import PASS, SKIP
from workbook.stages import LAST, stages, starting_point
from workbook.start import told
from workbook.text import wrap


def main(words: list[str]) -> int:
    lab = one_lab("next", words, "Where the present step passes, goes on to the next one.")
    desk = Desk(lab)
    state = desk.state
    if state is None:
        raise Mistake(f"{lab.name} was not started: make start LAB={lab.number}")
    stage = desk.stage
    text = desk.kernel.read_bytes() if desk.kernel.is_file() else b""
    grade = examine(lab)
    if grade.verdict == SKIP:
        raise Mistake(f"{lab.name} cannot be judged here: {grade.reason}")
    if grade.verdict != PASS:
        print(
            "\n".join([*wrap(f"{stage.label} does not pass: {grade.reason}", "", "  "), "  next: make hint"])
        )
        return 1
    names = [one.name for one in stages(lab)]
    desk.remember(passed=[name for name in names if name in {*state["passed"], stage.name}])
    print(
        f"{stage.label} passes: {grade.right} of {grade.tried} shapes are right, race: {grade.race.verdict}"
    )
    if stage.name == LAST:
        later = [path.name for path in ladder() if path.name > lab.name]
        number = later[0][len("lab") :].partition("_")[0] if later else ""
        print(f"  next     make start LAB={number}" if number else "  that was the last lab")
        return 0
    desk.keep()
    if stage.reference is None:  # in a student's copy its place among the lab's variants is free
        put(lab.path / stage.file, text)
    following = stages(lab)[names.index(stage.name) + 1]
    begins = f"your kernel of {stage.label}"
    point = starting_point(following, desk.kernel, begins)
    kept = desk.begin(following, point)
    print("\n".join([told(desk, following, point, begins), *kept_line(kept)]))
    return 0
