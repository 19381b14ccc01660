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
ARRAY = re.compile(r"([^;{}]*\b(?:real|float|double)\s+(\w+)\s*((?:\[[^\]]*\]\s*)+));")
A_TILE = re.compile(r"\b(?:TILE_[MNK]|TILE|BLOCK)\b")  # in its size


def unshared(kernel: Path) -> str:
    """In words; "" where all that looks like a tile is shared, or nobody waits."""
    text = kernel.read_text(errors="replace") if kernel.is_file() else ""
    code = re.sub(r"//.*|/\*[\s\S]*?\*/", "", text)
    if not BARRIER.search(code):
        return ""
    word, item = ("__shared__", "thread") if kernel.suffix == ".cu" else ("__local", "work-item")
    if not SHARED.search(code):
        return (
            f"{kernel.name} has barriers, and no array is {word}: each {item} has a tile of its "
            "own, of which it fills a part"
        )
    own = [
        name
        for words, name, size in ARRAY.findall(code)
        if A_TILE.search(size) and not SHARED.search(words)
    ]
    if not own:
        return ""
    return (
        f"{kernel.name}: {' and '.join(own)} {'are' if own[1:] else 'is'} not {word}: each "
        f"{item} has one of its own, of which it fills a part"
    )


def with_unshared(result: Result, kernel: Path) -> Result:
    """A wrong result, with this as its cause."""
    cause = unshared(kernel) if result.verdict == FAIL and result.finding else ""
    if not cause:
        return result
    finding = {**result.finding, "kind": "tile", "cause": cause, "unstable": False}
    return replace(result, record={**result.record, "finding": finding})
