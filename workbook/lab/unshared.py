# SPDX-License-Identifier: MIT
"""A kernel that has barriers and shares nothing: what it computes with, nobody wrote, which may
look like a race."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from workbook.lab.program import FAIL, Result

BARRIER = re.compile(r"\b(?:barrier|work_group_barrier|__syncthreads)\s*\(")
SHARED = re.compile(r"\b(?:local|__local|__shared__)\b")


def unshared(kernel: Path) -> str:
    """In words; "" where something is shared, or nobody waits."""
    code = (
        re.sub(r"//.*|/\*[\s\S]*?\*/", "", kernel.read_text(errors="replace"))
        if kernel.is_file()
        else ""
    )
    if not BARRIER.search(code) or SHARED.search(code):
        return ""
    word, item = ("__shared__", "thread") if kernel.suffix == ".cu" else ("__local", "work-item")
    return (
        f"{kernel.name} has barriers, and no array is {word}: each {item} has a tile of its own, "
        "of which it "
        "fills a part"
    )


def with_unshared(result: Result, kernel: Path) -> Result:
    """A wrong result, with this as its cause."""
    cause = unshared(kernel) if result.verdict == FAIL and result.finding else ""
    if not cause:
        return result
    finding = {**result.finding, "kind": "tile", "cause": cause, "unstable": False}
    return replace(result, record={**result.record, "finding": finding})
