# SPDX-License-Identifier: MIT
"""The hints of a lab: start/hints.md in its folder, and diagnosis/hints.md for what goes
wrong in every lab.

## STAGE, and under it ### 1, ### 2 ... on its idea, from a nudge to nearly the code, and ### when
TAG for what is wrong. In diagnosis/hints.md: ## TAG, and ## TAG .c for what is said
instead of kernels with that suffix. The text is shown as it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, UserError
from workbook.check.grade import Grade
from workbook.core.files import read_text
from workbook.lab.program import FAIL
from workbook.lab.stages import Stage
from workbook.race.say import emulated

# What can be wrong, by kind (docs/records.md), or otherwise.
TAGS = tuple(
    "build crash buffer memory hang index k sum tile unwritten edge outside race copy stack "
    "divergence narrow stale slow".split()
)
# What the race run finds, by the kinds of gemm-race/1.
OF_RACE = {
    **{"bounds": "outside", "memory": "memory", "race": "race", "copy": "copy"},
    **{"divergence": "divergence", "warp": "divergence"},
}
# Memory of the kernel's own, as workbook/race/say/sanitizers.py says it.
OWN_BUFFER = re.compile(
    r"outside (?:what line \d+ allocates|an array on the stack|\w+, of \d+ bytes)"
    r"|out of bounds for type '__private |uses index \S+ of an array '"
)
COMMON = TOP / "diagnosis/hints.md"


@dataclass(frozen=True)
class Hint:
    name: str  # regtile 1, regtile when edge, when edge
    text: str
    tag: str = ""


def sections(text: str, mark: str) -> dict[str, str]:
    """What stands under each heading of one level."""
    parts = re.split(rf"^{mark} (.+)$", text, flags=re.MULTILINE)
    return {name.strip(): body.strip("\n") for name, body in zip(parts[1::2], parts[2::2])}


def of_all_labs(suffix: str) -> dict[str, str]:
    """By tag, for kernels with this suffix."""
    headed = sections(read_text(COMMON), "##")
    return {
        tag: headed.get(f"{tag} {suffix}", text) for tag, text in headed.items() if " " not in tag
    }


def of_stage(stage: Stage) -> tuple[list[Hint], list[Hint]]:
    """Those on its idea; and those for what is wrong, its own before those for all labs."""
    path = stage.lab.path / "start/hints.md"
    parts = sections(sections(read_text(path), "##").get(stage.name, ""), "###")
    ideas = [Hint(f"{stage.name} {name}", text) for name, text in parts.items() if name.isdigit()]
    if not ideas:
        raise UserError(f"{path}: there are no hints under '## {stage.name}'")
    whens = {name[5:]: text for name, text in parts.items() if name[:5] == "when "}
    own = [Hint(f"{stage.name} when {tag}", text, tag) for tag, text in whens.items()]
    of_all = of_all_labs(Path(stage.file).suffix)
    common = [Hint(f"when {tag}", text, tag) for tag, text in of_all.items()]
    return ideas, own + common


def evidence(grade: Grade) -> str:
    """The tag of what is wrong with a kernel; "" where nothing tells."""
    if grade.unbuilt:
        return "build"
    result = grade.relevant[-1]
    found = " ".join([*" ".join(grade.race.found).split(), result.reason])
    if OWN_BUFFER.search(found):
        return "buffer"
    if "stack overflow" in found:
        return "stack"
    if kind := result.finding.get("kind"):
        return str(kind)
    if result.crashed:
        return "crash"
    if grade.race.verdict == FAIL:
        return OF_RACE.get(grade.race.kind, "")
    if result.finding.get("unstable"):
        return "race"
    if result.verdict == FAIL and not result.settings:
        return how_it_ended(grade)
    return "slow" if grade.is_slow else ""


def how_it_ended(grade: Grade) -> str:
    """Of a program that fails: one that was ended from outside has a loop that does not end."""
    result = grade.relevant[-1]
    stopped = emulated.findings(result.reason, grade.lab.programs[0].kernel)
    if stopped:
        return OF_RACE.get(stopped[0].kind, "")
    if result.finding and result.status == 1 and result.record["verdict"] == "incomplete":
        return "crash"
    if result.status < 0:
        return "hang"
    return "build" if result.status == 2 else ""  # an OpenCL kernel is compiled when it runs
