# SPDX-License-Identifier: MIT
"""The hints of a lab: start/hints.md in its folder, and common/hints.md for what goes wrong in every lab.

## STAGE, and under it ### 1, ### 2 ... from a nudge to nearly the code, and ### when TAG for what is wrong.
In common/hints.md: ## TAG. The text is shown as it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, Mistake
from workbook.check.grade import Grade
from workbook.program import FAIL
from workbook.stages import Stage

# What can be wrong, by kind (docs/records.md), or otherwise.
TAGS = ("build", "crash", "index", "k", "sum", "unwritten", "edge", "outside", "race", "slow")
COMMON = TOP / "common/hints.md"


@dataclass(frozen=True)
class Hint:
    name: str  # regtile 1, regtile when edge, when edge
    text: str
    tag: str = ""


def sections(text: str, mark: str) -> dict[str, str]:
    """What stands under each heading of one level."""
    parts = re.split(rf"^{mark} (.+)$", text, flags=re.MULTILINE)
    return {name.strip(): body.strip("\n") for name, body in zip(parts[1::2], parts[2::2])}


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"{path}: is no UTF-8 text") from error


def of_stage(stage: Stage) -> tuple[list[Hint], dict[str, Hint]]:
    """Those that follow one another, and those for what is wrong, by their tag."""
    path = stage.lab.path / "start/hints.md"
    parts = sections(sections(read_text(path), "##").get(stage.name, ""), "###")
    ladder = [Hint(f"{stage.name} {name}", text) for name, text in parts.items() if name.isdigit()]
    if not ladder:
        raise Mistake(f"{path}: there are no hints under '## {stage.name}'")
    tagged = {tag: Hint(f"when {tag}", text, tag) for tag, text in sections(read_text(COMMON), "##").items()}
    for name, text in parts.items():
        if name.startswith("when "):
            tag = name[len("when ") :]
            tagged[tag] = Hint(f"{stage.name} {name}", text, tag)
    return ladder, tagged


def evidence(grade: Grade) -> str:
    """The tag of what is wrong with a kernel; "" where nothing tells."""
    if grade.unbuilt:
        return "build"
    result = grade.programs[-1]
    if kind := result.finding.get("kind"):
        return str(kind)
    if result.finding.get("unstable") or grade.race.verdict == FAIL:
        return "race"
    if result.status == 2 and result.verdict == FAIL:  # an OpenCL kernel is compiled when it runs
        return "build"
    if result.verdict == FAIL and not result.finding:
        return "crash"
    speed = grade.speed
    if speed.speedup is not None and speed.needed is not None and not speed.reached:
        return "slow"
    return ""


def choose(ladder: list[Hint], tagged: dict[str, Hint], tag: str, shown: list[str]) -> Hint | None:
    """What is wrong first, and then on from where the student was."""
    first = [tagged[tag]] if tag in tagged else []
    return next((hint for hint in first + ladder if hint.name not in shown), None)
