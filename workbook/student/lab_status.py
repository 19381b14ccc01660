# SPDX-License-Identifier: MIT
"""Where a student stands in a lab, by what the last check left and by what they keep in mine/."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbook.check.record import SCHEMA
from workbook.core.records import NoRecord, differs, read
from workbook.core.typed import command
from workbook.lab.course import Task
from workbook.lab.program import NOT_YET, PASS
from workbook.lab.stages import LAST
from workbook.lab.whole import no_kernel
from workbook.lab.workspace import Workspace
from workbook.race.output import SCHEMA as RACE_SCHEMA

MAYBE = (float, int, None)
FOUND = {
    **dict.fromkeys(("digest", "verdict", "reason"), str),
    **{"emulated": bool, "speedup": MAYBE, "needed": MAYBE},
    **{"race": {"verdict": str}, "programs": [{"program": str, "classes": dict}]},
}
CHECK = {"schema": SCHEMA, "labs": [FOUND]}
RACE = {"schema": RACE_SCHEMA, "labs": [{"digest": str, "verdict": str}]}

NOT_BEGUN = "not begun"
MISSING = "missing"  # its kernel was removed
UNCHECKED = "not checked"  # as it is now
UNDONE = "not done"
WRONG = "wrong"
REFUSED = "refused"  # by make grade
RIGHT = "right"
WITHOUT_IDEA = "not yet"
SKIPPED = "skipped"
STATES = {
    **{"PASS": RIGHT, "NOT YET": WITHOUT_IDEA, "FAIL": WRONG, "TODO": UNDONE},
    **{"SKIP": SKIPPED, "REFUSED": REFUSED},
}


@dataclass(frozen=True)
class LabStatus:
    desk: Workspace
    task: Task | None
    found: dict[str, Any] | None  # by the last check, if the kernel is still the same
    raced: dict[str, Any] | None  # by the last make race, if it is

    @cached_property
    def state(self) -> str:
        if not self.desk.kernel.is_file():
            return MISSING
        if self.desk.state is None and not self.desk.is_own():
            return NOT_BEGUN
        if self.found is not None:
            if self.race == "FAIL" and self.found["verdict"] in (PASS, NOT_YET):
                return WRONG
            return STATES.get(self.found["verdict"], WRONG)
        return UNCHECKED if self.desk.is_own() else UNDONE

    @property
    def race(self) -> str:
        """The verdict of make race, or of the short run in a check; "-": neither was owed or
        made."""
        if self.raced:
            return str(self.raced["verdict"])
        return str(self.found["race"]["verdict"]) if self.found else "-"

    @property
    def classes(self) -> dict[str, list[int]]:
        """Right and all shapes of each class, of the lab's own kernel."""
        programs = self.found["programs"] if self.found else []
        counts: dict[str, Any] = next(
            (one["classes"] for one in programs if one["program"] == "gemm"), {}
        )
        sound = (name for name, pair in counts.items() if differs(pair, [int]) is None)
        return {name: counts[name] for name in sound if len(counts[name]) == 2}

    @property
    def is_slow(self) -> bool:
        """Right, and not as fast as is needed for its points."""
        found = self.found
        if found is None or self.state != RIGHT or None in (found["speedup"], found["needed"]):
            return False
        return bool(found["speedup"] < found["needed"])

    @property
    def advice(self) -> str:
        """What to do next in this lab; "" where its kernel is done."""
        lab, last = self.desk.lab, self.desk.stage.name == LAST
        if self.state == NOT_BEGUN:
            return command(lab.path, "start")
        if self.state == MISSING:
            return no_kernel(lab.path)
        if self.state == UNCHECKED:
            return command(lab.path, "check")
        if self.state == WRONG and self.raced and self.raced["verdict"] == "FAIL":
            return f"{command(lab.path, 'race')}: it found something"
        if self.state == REFUSED:
            return f"edit {lab.name}/{self.desk.kernel.name}: make grade refuses it as it is"
        if self.state in (UNDONE, WRONG):
            return f"edit {lab.name}/{self.desk.kernel.name}; {command(lab.path, 'hint')} helps"
        if last and self.state == WITHOUT_IDEA:
            return f"{command(lab.path, 'hint')}: it is correct, but not the idea yet"
        return "" if last else command(lab.path, "next")


def lab_status(desk: Workspace, task: Task | None) -> LabStatus:
    return LabStatus(desk, task, fresh(desk, "check", CHECK), fresh(desk, "race", RACE))


def fresh(desk: Workspace, name: str, pattern: dict[str, Any]) -> dict[str, Any] | None:
    """What a record says of this lab, if it is about the kernel as it is now."""
    try:
        labs = read(desk.lab.path / f"build/{name}.json", pattern)["labs"]
    except NoRecord:
        return None
    return next((lab for lab in labs if lab["digest"] == desk.lab.digest), None)
