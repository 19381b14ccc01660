# SPDX-License-Identifier: MIT
"""Where a student works on a lab: its kernel, and mine/ beside it with every version of their own
and how far they are. Nothing of theirs is replaced before it is kept there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from workbook import UserError
from workbook.core.files import put
from workbook.core.records import NoRecord, read, write
from workbook.core.typed import command
from workbook.lab.labs import Lab
from workbook.lab.stages import LAST, Stage, kernel_name, stage_of, stages
from workbook.lab.whole import no_kernel

STATE = {
    **{"schema": "gemm-mine/1", "stage": str, "passed": [str]},
    **{"hints": [str], "last": (str, None), "digest": (str, None)},
}


class Workspace:
    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.kernel = lab.path / kernel_name(lab)
        self.mine = lab.path / "mine"

    # ---- how far -------------------------------------------------------------------------------
    @property
    def state(self) -> dict[str, Any] | None:
        """None: nothing was started, or it cannot be told any more."""
        try:
            state = read(self.mine / "state.json", STATE)
        except NoRecord:
            return None
        names = [stage.name for stage in stages(self.lab)]
        return state if state["stage"] in names else None

    def remember(self, **changes: Any) -> None:
        write(self.mine / "state.json", {**self.known, **changes})

    @property
    def known(self) -> dict[str, Any]:
        """The state, also of a student who wrote without make start."""
        nothing = {
            "schema": STATE["schema"],
            "stage": LAST,
            "passed": [],
            "hints": [],
            "last": None,
        }
        return self.state or {**nothing, "digest": None}

    @property
    def stage(self) -> Stage:
        """The present one; the last where nothing was started."""
        state = self.state
        return stage_of(self.lab, state["stage"]) if state else stages(self.lab)[-1]

    # ---- the kernel ----------------------------------------------------------------------------
    def versions(self) -> list[Path]:
        """The student's own, oldest first."""
        numbered = {
            int(found[1]): path
            for path in self.mine.glob(f"kernel.*{self.kernel.suffix}")
            if (found := re.fullmatch(r"kernel\.(\d{1,9})\..*", path.name))
        }
        return [numbered[number] for number in sorted(numbered)]

    @property
    def start(self) -> Path:
        """The last starting point: make/unfinished compares the kernel with it."""
        return self.mine / f"start{self.kernel.suffix}"

    def is_own(self) -> bool:
        """Is the kernel something of the student's, not a reference or an untouched starting
        point?"""
        if not self.kernel.is_file():
            return False
        known = [stage.reference for stage in stages(self.lab)]
        known += [self.start, *(self.lab.path / "start" / stage.file for stage in stages(self.lab))]
        text = self.kernel.read_bytes()
        return all(
            path is None or not path.is_file() or path.read_bytes() != text for path in known
        )

    def keep(self) -> Path | None:
        """The kernel is kept in mine/, unless it is there already; None: it is not the student's
        own."""
        if self.kernel.exists() and not self.kernel.is_file():
            raise UserError(f"{self.kernel} is no file: move it away")
        if not self.is_own():
            return None
        text = self.kernel.read_bytes()
        versions = self.versions()
        if same := next((path for path in reversed(versions) if path.read_bytes() == text), None):
            return same
        number = int(versions[-1].name.split(".")[1]) + 1 if versions else 1
        path = self.mine / f"kernel.{number}{self.kernel.suffix}"
        put(path, text)
        return path

    def place(self, text: bytes) -> Path | None:
        """Another kernel in the place of this one; where this one is kept."""
        kept = self.keep()
        put(self.kernel, text)
        return kept

    def begin(self, stage: Stage, text: str) -> Path | None:
        """The starting point of a stage. Interrupted at any point, doing it again loses nothing."""
        content = text.encode("utf-8", "surrogateescape")
        kept = self.keep()
        put(self.start, content)
        put(self.kernel, content)
        self.remember(stage=stage.name, hints=[], last=None)
        return kept


def begun(desk: Workspace) -> Workspace:
    """That of a lab in which there is something of the student's to judge."""
    desk.keep()
    if not desk.kernel.is_file():
        raise UserError(no_kernel(desk.lab.path))
    if desk.state is None and not desk.is_own():
        raise UserError(f"{desk.lab.name} was not started: {command(desk.lab.path, 'start')}")
    return desk


def kept_line(kept: Path | None) -> list[str]:
    if kept is None:
        return []
    back = command(kept.parent.parent, "restore")
    return [f"  kept     mine/{kept.name}, your kernel until now: {back} brings it back"]
