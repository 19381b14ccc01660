# SPDX-License-Identifier: MIT
"""Where a student stands in a lab, by what the last check left and by what they keep in mine/."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbook.check.record import SCHEMA
from workbook.course import Task
from workbook.desk import Desk
from workbook.records import NoRecord, read
from workbook.stages import LAST

MAYBE = (float, int, None)
FOUND = {
    **{"digest": str, "verdict": str, "reason": str, "emulated": bool, "speedup": MAYBE, "needed": MAYBE},
    **{"race": {"verdict": str}, "programs": [{"program": str, "classes": dict}]},
}
CHECK = {"schema": SCHEMA, "labs": [FOUND]}

NOT_BEGUN = "not begun"
UNCHECKED = "not checked"  # as it is now
UNDONE = "not done"
WRONG = "wrong"
RIGHT = "right"
SKIPPED = "skipped"
STATES = {"PASS": RIGHT, "FAIL": WRONG, "TODO": UNDONE, "SKIP": SKIPPED}


@dataclass(frozen=True)
class Standing:
    desk: Desk
    task: Task | None
    found: dict[str, Any] | None  # by the last check, if the kernel is still the same

    @property
    def state(self) -> str:
        if self.desk.state is None and not self.desk.is_own():
            return NOT_BEGUN
        if self.found is not None:
            return STATES.get(self.found["verdict"], WRONG)
        return UNCHECKED if self.desk.is_own() else UNDONE

    @property
    def classes(self) -> dict[str, list[int]]:
        """Right and all shapes of each class, of the lab's own kernel."""
        programs = self.found["programs"] if self.found else []
        return next((one["classes"] for one in programs if one["program"] == "gemm"), {})

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
            return f"make start LAB={lab.number}"
        if self.state == UNCHECKED:
            return f"make check LAB={lab.number}"
        if self.state in (UNDONE, WRONG):
            return f"edit {lab.name}/{self.desk.kernel.name}; make hint LAB={lab.number} helps"
        return "" if last else f"make next LAB={lab.number}"


def standing(desk: Desk, task: Task | None) -> Standing:
    try:
        found = next(iter(read(desk.lab.path / "build/check.json", CHECK)["labs"]), None)
    except NoRecord:
        found = None
    fresh = found is not None and found["digest"] == desk.lab.digest
    return Standing(desk, task, found if fresh else None)
