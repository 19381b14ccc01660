# SPDX-License-Identifier: MIT
"""start LAB: puts the starting point of a lab, or of one of its steps, into its kernel. What was
there is kept."""

from __future__ import annotations

import os

from workbook.core.text import wrap
from workbook.core.typed import is_here
from workbook.handin.todo import TODO
from workbook.lab.arguments import one_lab
from workbook.lab.stages import Stage, base_of, stage_of, stages, starting_point
from workbook.lab.workspace import Workspace, kept_line

NEXT = "make run shows what is right; make hint helps; make next goes on"


def summary(desk: Workspace, stage: Stage, text: str, begins: str) -> str:
    """What is there now, and what to do."""
    todo = [number for number, line in enumerate(text.splitlines(), 1) if TODO.search(line)]
    names = [one.name for one in stages(desk.lab)]
    place = (
        f" (step {names.index(stage.name) + 1} of {len(names)}: {', '.join(names)})"
        if len(names) > 1
        else ""
    )
    there = "" if is_here(desk.lab.path) else f"cd {desk.lab.place}; there "
    lines = [
        *wrap(f"{stage.label}{place}", "", "  "),
        *wrap(f"begins   {begins}", "  ", " " * 11),
        *wrap(
            f"to do    {desk.lab.name}/{desk.kernel.name}, lines {', '.join(map(str, todo))}",
            "  ",
            " " * 11,
        ),
        *wrap(f"next     {there}{NEXT}", "  ", " " * 11),
    ]
    return "\n".join(lines)


def main(words: list[str]) -> int:
    lab = one_lab(
        "start",
        words,
        "Puts the starting point of a lab into its kernel.",
        "STEP: which of its steps.",
    )
    desk = Workspace(lab)
    state, wanted = desk.state, os.environ.get("STEP")
    stage = stage_of(lab, wanted or (state["stage"] if state else stages(lab)[0].name))
    base, begins = base_of(stage)
    text = starting_point(stage, base, begins)
    kept = desk.begin(stage, text)
    print("\n".join([summary(desk, stage, text, begins), *kept_line(kept)]))
    return 0
