# SPDX-License-Identifier: MIT
"""The hints of a lab: start/hints.md in its folder, and common/diagnosis/hints.md for what goes wrong in
every lab.

## STAGE, and under it ### 1, ### 2 ... from a nudge to nearly the code, and ### when TAG for what is wrong.
In common/diagnosis/hints.md: ## TAG. The text is shown as it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, Mistake
from workbook.check.grade import Grade
from workbook.program import FAIL
from workbook.stages import Stage

# What can be wrong, by kind (docs/records.md), or otherwise.
TAGS = (
    *("build", "crash", "slow"),
    *("index", "k", "sum", "tile", "narrow", "unwritten", "edge", "outside", "race"),
)
COMMON = TOP / "common/diagnosis/hints.md"


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


def of_stage(stage: Stage) -> tuple[list[Hint], list[Hint]]:
    """Those that follow one another; and those for what is wrong, its own before those for all labs."""
    path = stage.lab.path / "start/hints.md"
    parts = sections(sections(read_text(path), "##").get(stage.name, ""), "###")
    ladder = [Hint(f"{stage.name} {name}", text) for name, text in parts.items() if name.isdigit()]
    if not ladder:
        raise Mistake(f"{path}: there are no hints under '## {stage.name}'")
    own = [
        Hint(f"{stage.name} {name}", text, name[5:]) for name, text in parts.items() if name[:5] == "when "
    ]
    common = [Hint(f"when {tag}", text, tag) for tag, text in sections(read_text(COMMON), "##").items()]
    return ladder, own + common


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


def choose(ladder: list[Hint], fitting: list[Hint], shown: list[str], changed: bool) -> Hint | None:
    """What is wrong first; then on from where the student was. A kernel that has changed, and is wrong in a
    way that was not spoken of last, is told so; and so is one for which there is nothing else."""
    spoken_of = bool(shown) and shown[-1] in [hint.name for hint in fitting]
    if fitting and changed and not spoken_of:
        return fitting[0]
    return next(
        (hint for hint in fitting + ladder if hint.name not in shown), fitting[0] if fitting else None
    )
