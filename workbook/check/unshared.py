# SPDX-License-Identifier: MIT
"""A kernel that has barriers and shares nothing: what it computes with, nobody wrote, which may
look like a race."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from workbook.check.misdeclared import code_of, exchanged, no_kernel
from workbook.lab.program import FAIL, PASS, Result

BARRIER = re.compile(r"\b(?:barrier|work_group_barrier|__syncthreads)\s*\(")
SHARED = re.compile(r"\b(?:local|__local|__shared__)\b")
ARRAY = re.compile(r"([^;{}]*\b(?:real|float|double)\s+(\w+)\s*((?:\[[^\]]*\]\s*)+));")
A_TILE = re.compile(r"\b(?:TILE_[MNK]|TILE|BLOCK)\b")  # in its size


def has_barriers(kernel: Path) -> bool:
    return BARRIER.search(code_of(kernel)) is not None


def shares(kernel: Path) -> bool:
    return SHARED.search(code_of(kernel)) is not None


def unshared(kernel: Path) -> str:
    """In words; "" where all that looks like a tile is shared, or nobody waits."""
    if not has_barriers(kernel):
        return ""
    code = code_of(kernel)
    word, item = ("__shared__", "thread") if kernel.suffix == ".cu" else ("__local", "work-item")
    if not shares(kernel) and ARRAY.search(code):
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


def with_source(result: Result, kernel: Path) -> Result:
    """What came of a kernel, and what its text tells of that."""
    if result.verdict in (PASS, FAIL) and (missing := no_kernel(kernel)):
        return replace(result, verdict=FAIL, reason=missing, record={})
    order, tile = exchanged(kernel), unshared(kernel)
    if result.verdict != FAIL or not result.finding or not (order or tile):
        return result
    kind = "index" if order else "tile"
    finding = {**result.finding, "kind": kind, "cause": order or tile, "unstable": False}
    return replace(result, record={**result.record, "finding": finding})
