# SPDX-License-Identifier: MIT
"""What a lab earns, and what of it is told to other tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workbook.check.idea import Idea
from workbook.check.race import Race, needs_tools
from workbook.check.speed import Speed
from workbook.handin.bench import Unfit
from workbook.lab.course import Task
from workbook.lab.labs import Lab
from workbook.lab.program import FAIL, NOT_YET, PASS, SKIP, TODO, Result
from workbook.lab.whole import edited
from workbook.profile.asked import Asked

UNORDERED = ("race", "divergence", "warp", "copy")  # of the kinds of gemm-race/1


@dataclass
class Grade:
    """Filled in step by step: programs and race at the same time, then the speed."""

    lab: Lab
    unbuilt: str = ""  # why it does not build
    programs: list[Result] = field(default_factory=list)
    verified: bool = False  # all of them are there
    warning: str = ""  # it is wrong with some other tunables, and right with others
    refusal: Unfit | None = None  # by make grade; a SKIP: nobody knows
    alone: Result | None = None  # with params.h alone, at a step that has settings of its own
    race: Race = field(default_factory=Race)
    speed: Speed = field(default_factory=Speed)
    idea: Idea = field(default_factory=Idea)  # of a student's step
    counted: Asked = field(default_factory=Asked)  # where course.tsv has limits
    lacks_idea: bool = False  # of a student's step: it misses one that its step is to keep
    digest: str = ""  # of the kernel as it was before anything was done
    graded: Lab = field(init=False)  # whose idea and speed have points

    def __post_init__(self) -> None:
        self.digest = self.lab.digest
        self.graded = self.lab

    @property
    def relevant(self) -> list[Result]:
        """Its programs, where each says something: who does not wait may be wrong with other
        tunables."""
        return [one for one in self.programs if not one.settings or self.race.kind not in UNORDERED]

    @property
    def complete(self) -> bool:
        """Verified, and looked at for races where that is owed."""
        raced = self.race.verdict != "-" or not needs_tools(self.lab)
        return self.verified and raced

    def has_stopped(self, program: str) -> bool:
        """As it did not end: no tool, under which all is slower, need wait for it."""
        return any(result.program == program and result.stopped for result in self.programs)

    @property
    def verdict(self) -> str:
        verdicts = [result.verdict for result in self.programs]
        if TODO in verdicts:
            return TODO
        if self.refused:
            return self.refused.verdict
        if self.unbuilt or self.race.verdict == FAIL or self.speed.failure or FAIL in verdicts:
            return FAIL
        if verdicts[:1] != [PASS]:  # another program's skip is its own
            return SKIP
        return NOT_YET if self.counted.held is False else PASS

    @property
    def is_right(self) -> bool:
        return self.verdict in (PASS, NOT_YET)

    @property
    def refused(self) -> Unfit | None:
        return self.refusal if self.refusal and self.refusal.verdict != SKIP else None

    @property
    def worthless(self) -> str:
        """Why make grade gives no points to a step that is right."""
        if not self.is_right or self.alone is None or self.alone.verdict == PASS:
            return ""
        return (
            f"make grade gives it no points: {self.alone.verdict}: {self.alone.why}; it takes "
            f"params.h alone, without the step's {' '.join(self.alone.settings)}: make next goes "
            "on, or put them into params.h"
        )

    @property
    def edited(self) -> str:
        """What is not as it was handed out."""
        return edited(self.lab.path, failed=self.verdict == FAIL)

    @property
    def reason(self) -> str:
        """Of a failure: what is not as it was handed out comes before what may follow from it; a
        params.h, which may be one's own, after what make grade says as well."""
        changed = self.edited if self.verdict == FAIL else ""
        said = [changed, self.first_reason]
        if changed.startswith("params.h"):
            said.reverse()
        return "; ".join(one for one in said if one)

    @property
    def is_slow(self) -> bool:
        """Slower than it is to be, of a kernel that is right; or without its idea."""
        speed = self.speed
        too_slow = speed.speedup is not None and speed.needed is not None and not speed.reached
        return too_slow or self.idea.is_missing or self.lacks_idea

    @property
    def speeds(self) -> list[str]:
        """What is said of them."""
        counted = self.counted.said if self.lacks_idea or self.verdict != NOT_YET else ""
        every = (counted, self.speed.summary, self.idea.summary, self.speed.disturbed)
        return [said for said in every if said]

    @property
    def first_reason(self) -> str:
        """Of a failure before that of a skip."""
        if self.refused and self.verdict != TODO:
            return self.refused.reason
        if self.unbuilt:
            return f"does not build: {self.unbuilt}"
        for verdict in TODO, FAIL, SKIP:
            for result in self.relevant:
                if result.verdict == verdict and (verdict != SKIP or self.verdict == SKIP):
                    return f"{result.variant}: {result.why}" if result.variant else result.why
            if verdict == FAIL and self.speed.failure:
                return self.speed.failure
            if verdict == FAIL and self.race.verdict == FAIL:
                return f"race: {self.race.reason}"
        if self.worthless or self.verdict == NOT_YET:
            return self.worthless or self.counted.said
        return f"race not run: {self.race.reason}" if self.race.verdict == SKIP else ""

    @property
    def right(self) -> int:
        """Shapes, of all programs."""
        return sum(some for result in self.relevant for some, _ in classes(result).values())

    @property
    def tried(self) -> int:
        return sum(max(result.battery, len(result.shapes)) for result in self.relevant)

    def points(self, worth: Task | None) -> tuple[int, int]:
        """Points and how many are possible: an emulated lab has no speed to give points for, and
        what cannot be counted here no idea."""
        if worth is None or self.verdict == SKIP:
            return 0, 0
        right = worth.correct + worth.robust
        idea = worth.idea if not self.is_right or self.counted.held is not None else 0
        possible = right + idea + (0 if self.lab.emulated else worth.fast)
        if not self.is_right or self.worthless:
            return 0, possible
        fast = worth.fast if self.speed.reached else 0
        return right + fast + (idea if self.counted.held else 0), possible


def classes(result: Result) -> dict[str, list[int]]:
    """Right and all shapes of each class, as far as the program came."""
    counts: dict[str, list[int]] = {}
    for shape in result.shapes:
        count = counts.setdefault(shape["class"], [0, 0])
        count[0] += shape["verdict"] == "pass"
        count[1] += 1
    return counts


def as_record(grade: Grade, worth: Task | None) -> dict[str, Any]:
    points, possible = grade.points(worth)
    speed = grade.speed
    return {
        "lab": grade.lab.name,
        "digest": grade.digest,
        "verdict": grade.verdict,
        "reason": grade.reason,
        "points": points,
        "possible": possible,
        "emulated": grade.lab.emulated,
        "gflops": speed.gflops or None,
        "spread": speed.record.get("spread"),
        "device": next(
            (result.record["device"] for result in grade.programs if result.record), None
        ),
        "before": speed.before or None,
        "speedup": None if speed.speedup is None else round(speed.speedup, 2),
        "needed": speed.needed,
        "rounds": [round(ratio, 3) for ratio in speed.rounds],
        "counters": {**vars(grade.counted)} if grade.counted != Asked() else None,
        "programs": [
            {
                "program": result.program,
                "verdict": result.verdict,
                "reason": result.why,
                "classes": classes(result),
                "finding": result.finding or None,
            }
            for result in grade.programs
        ],
        "race": {
            "verdict": grade.race.verdict,
            "reason": grade.race.reason,
            "found": list(grade.race.found),
        },
    }
