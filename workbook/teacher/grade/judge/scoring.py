# SPDX-License-Identifier: MIT
"""What a lab earns: for being right, a part for each kind of shape; for being robust; for its idea;
for speed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workbook.core.text import plain
from workbook.lab.course import Task
from workbook.profile.asked import Asked
from workbook.teacher.grade.judge.robust import Robust
from workbook.teacher.grade.judge.speed import Timing, share

PASS, NOT_YET, PARTIAL, FAIL, INCONCLUSIVE, MISSING, REFUSED = VERDICTS = (
    "PASS",
    "NOT YET",
    "PARTIAL",
    "FAIL",
    "INCONCLUSIVE",
    "MISSING",
    "REFUSED",
)


@dataclass(frozen=True)
class Part:
    """Some of the points, and why not all."""

    name: str  # correct, robust, idea or speed
    points: float
    possible: float
    reason: str = ""


@dataclass
class Mark:
    """A lab of a submission. Without a verdict of its own, the parts say it."""

    verdict: str = ""
    reason: str = ""
    parts: list[Part] = field(default_factory=list)

    @property
    def points(self) -> float:
        return round(sum(part.points for part in self.parts), 1)

    @property
    def possible(self) -> float:
        return round(sum(part.possible for part in self.parts), 1)


def nothing(verdict: str, reason: str, task: Task, speed: bool) -> Mark:
    parts = [Part("correct", 0, task.correct), Part("robust", 0, task.robust)]
    if task.idea:
        parts.append(Part("idea", 0, task.idea))
    if speed:
        parts.append(Part("speed", 0, task.fast))
    return Mark(verdict, reason, parts)


def classes(record: dict[str, Any]) -> dict[str, list[int]]:
    """Right and all shapes of each kind."""
    counts: dict[str, list[int]] = {}
    for shape in record["shapes"]:
        count = counts.setdefault(shape["class"], [0, 0])
        count[0] += shape["verdict"] == "pass"
        count[1] += 1
    return dict(sorted(counts.items()))


def correct(record: dict[str, Any], task: Task) -> Part:
    """A kind of shape counts where each of them is right."""
    kinds = classes(record)
    right = [kind for kind, (some, all_) in kinds.items() if some == all_]
    if len(right) == len(kinds):
        return Part("correct", task.correct, task.correct)
    wrong = "; ".join(kind for kind in kinds if kind not in right)
    points = round(task.correct * len(right) / len(kinds), 1)
    return Part("correct", points, task.correct, f"not right: {wrong}: {why_wrong(record)}")


def why_wrong(record: dict[str, Any]) -> str:
    """Of gemm-run/1, or gemm-pairs/1."""
    finding, at = record["finding"], record["at"]
    end = record["end"] if "end" in record else record["reason"]
    if finding:
        cause = finding["cause"] or "no cause can be named"
        return plain(f"first at {finding['M']} x {finding['N']} x {finding['K']}: {cause}")
    place = f" at {at['M']} x {at['N']} x {at['K']}" if at else ""
    return plain(end if end and place in end else f"{end or 'no result'}{place}")


def robust(said: Robust | None, right: Part, task: Task) -> Part:
    """What the tools find is told of every kernel; points are for one that is right somewhere."""
    if said is None:
        return Part("robust", 0, task.robust, "not looked at: a call takes too long")
    if said.found:
        return Part("robust", 0, task.robust, said.found)
    if right.points == 0 and right.possible > 0:
        return Part("robust", 0, task.robust, "no tool finds more than that it is wrong")
    return Part("robust", task.robust, task.robust)


def idea(said: Asked, task: Task) -> Part:
    """Where nothing can be counted there are no points."""
    points = task.idea if said.held else 0
    return Part("idea", points, 0 if said.held is None else task.idea, said.said)


def speed(measured: Timing, range: float, task: Task) -> Part:
    part = share(measured.ratio, range)
    points = round(task.fast * part, 1)
    said = f"{measured.ratio:.2f} times as fast as the reference"
    return Part("speed", points, task.fast, "" if points == task.fast else said)


def verdict(mark: Mark) -> str:
    """From correct, robust and the idea; how fast it is does not make it pass or fail."""
    right = mark.parts[0]
    if mark.verdict:
        return mark.verdict
    if right.points == 0 and right.possible > 0:
        return FAIL
    if right.reason or mark.parts[1].reason:
        return PARTIAL
    lacks = any(part.name == "idea" and part.points < part.possible for part in mark.parts)
    return NOT_YET if lacks else PASS


def reason(mark: Mark) -> str:
    return mark.reason or next((part.reason for part in mark.parts if part.reason), "")
