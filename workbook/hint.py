# SPDX-License-Identifier: MIT
"""hint LAB: one hint for the present step. What make check finds wrong with the kernel chooses it; where that
is nothing, or was told before, it is the next on the way to the code."""

from __future__ import annotations

import os

from workbook import Mistake
from workbook.arguments import one_lab
from workbook.check.grade import Grade
from workbook.desk import Desk, begun
from workbook.examine import examine
from workbook.hints import Hint, choose, evidence, of_stage
from workbook.program import PASS
from workbook.text import wrap


def main(words: list[str]) -> int:
    lab = one_lab("hint", words, "One hint for the present step.", "AGAIN=1: the last one once more.")
    desk = begun(Desk(lab))
    state = desk.known
    ladder, tagged = of_stage(desk.stage)
    if os.environ.get("AGAIN"):
        last = next((hint for hint in ladder + tagged if hint.name == state["last"]), None)
        if last is None:
            raise Mistake(f"{desk.stage.label} has shown no hint yet: make hint")
        show(desk, last, ladder, [])
        return 0
    digest = lab.digest
    grade = examine(lab, timed=True) if desk.is_own() else None
    tag = evidence(grade) if grade else ""
    if grade is not None and grade.verdict == PASS and not tag:
        print("\n".join([f"{desk.stage.label} passes, there is nothing to hint at: make next", *seen(grade)]))
        return 0
    fitting = [hint for hint in tagged if hint.tag == tag]
    hint = choose(ladder, fitting, state["hints"], digest != state["digest"])
    if hint is None:
        print("\n".join(seen(grade) + wrap(nothing_left(desk), "", "  ")))
        return 0
    show(desk, hint, ladder, seen(grade))
    shown = [name for name in state["hints"] if name != hint.name]
    desk.remember(hints=[*shown, hint.name], last=hint.name, digest=digest)
    return 0


def seen(grade: Grade | None) -> list[str]:
    """The verdict, as the hint was chosen by it."""
    if grade is None:
        return []
    lines = (
        wrap(f"seen: {grade.right} of {grade.tried} shapes are right", "  ", "    ") if grade.tried else []
    )
    result = grade.programs[-1] if grade.programs else None
    if grade.unbuilt:
        return wrap(f"seen: it does not build: {grade.unbuilt}", "  ", "    ")
    if result is not None and (cause := result.finding.get("cause")):
        return lines + wrap(f"likely cause: {cause}", "  ", "    ")
    if grade.verdict != PASS:
        return lines + wrap(grade.reason, "  ", "    ")
    if grade.speed.speedup is not None:
        lines += [f"  {grade.speed.told}"]
    return lines


def show(desk: Desk, hint: Hint, ladder: list[Hint], verdict: list[str]) -> None:
    place = f"what is wrong: {hint.tag}" if hint.tag else f"hint {ladder.index(hint) + 1} of {len(ladder)}"
    again = "make hint: the next one; make hint AGAIN=1: this one again"
    print("\n".join([f"{desk.stage.label}, {place}", *verdict, "", hint.text, "", again]))


def nothing_left(desk: Desk) -> str:
    solution = "; make solution shows the reference" if desk.stage.reference else ""
    return f"there are no more hints for {desk.stage.label}: make hint AGAIN=1 repeats the last{solution}"
