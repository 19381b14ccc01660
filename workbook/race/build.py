# SPDX-License-Identifier: MIT
"""Builds copies of labs for the tools, and leaves the labs alone. What they have in common with
other labs is compiled once in the workbook's build/, and kept for the next time."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from workbook.lab import labs
from workbook.lab.labs import Lab, Program

_guard = threading.Lock()
_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def build(lab: Lab, program: Program, settings: list[str], work: Path) -> tuple[Path, str | None]:
    """The folder in which the program is, and what went wrong. Of those with the same flags one is
    built at a time, and the next finds what it compiled."""
    key = "\0".join([*labs.of_others(settings, lab), lab.type])
    with _guard:
        turn = _turns[key]
    with turn:
        mine = "\0".join([str(lab.path), *settings])  # another lab may have the same name
        own = work / hashlib.sha256(mine.encode()).hexdigest()[:16]
        copy = own / lab.place
        if not copy.exists():
            labs.copy_to(lab, own)
        problem = labs.build(replace(lab, path=copy), [program.name], settings)
    return copy, problem
