# SPDX-License-Identifier: MIT
"""What course.tsv asks of a kernel's counters, and whether it is so: make check and make grade
judge by it, in the same words.

All is for each FMA of a warp, of which there are M N K / 32: loads that nobody needs make none of
it less, as they would an average of all requests. What is counted has to be right in that run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from workbook import UserError
from workbook.lab.course import BOUNDS, LEAST, Task
from workbook.lab.labs import Lab
from workbook.profile.counts import Count
from workbook.profile.source import COMMENT, GLOBAL, SHARED

REFERENCE = Path(__file__).with_name("reference.tsv")
LEAST_SHAPE = (128, 128, 64)  # M, N, K: that, in full tiles
NUMBERS = (*BOUNDS, "loads", "A", "B")
WARP, FLOAT = 32, 4
# Of the language's own library, which no counter sees.
UNSEEN = re.compile(
    r"\b(?:__builtin_)?(?:mem(?:p|c)?cpy|memmove|mem(?:cmp|r?chr)|bcopy|bcmp|qsort|bsearch"
    r"|st[rp]\w*(?:cpy|cat|cmp|chr|len|dup|spn|brk|tok|str))\b"
)


@dataclass(frozen=True)
class Asked:
    """What came of it; held: None where it could not be counted."""

    held: bool | None = None
    said: str = ""
    now: dict[str, float] = field(default_factory=dict)


def require_counters(lab: Lab, task: Task) -> None:
    if task.counted and lab.backend == "cpu":
        raise UserError(
            f"course.tsv asks for counters of {lab.name}: OpenCL and CUDA labs alone have them"
        )


def shape(tile: Iterable[int]) -> tuple[int, int, int]:
    M, N, K = (-(-least // size) * size for least, size in zip(LEAST_SHAPE, tile))
    return M, N, K


def unseen(text: str) -> str:
    """Why a kernel's text cannot be judged by counters; or nothing."""
    found = UNSEEN.search(COMMENT.sub(" ", text))
    return f"nobody counts what {found[0]}() accesses: write a loop" if found else ""


def failed(why: str) -> Asked:
    return Asked(False, f"where it is counted: {why}")


def judged(task: Task, lab: str, counts: Iterable[Count], problem: tuple[int, int, int]) -> Asked:
    """Of a right kernel: M, N, K of what was counted."""
    counts, (M, N, K) = list(counts), problem
    for what, writes, least in ("loads", False, M * K + K * N), ("stores", True, M * N):
        seen = sum(one.bytes for one in counts if one.space == GLOBAL and one.writes == writes)
        if seen < FLOAT * least:  # each element once, at least
            return Asked(False, f"of what it {what} only {seen} of {FLOAT * least} bytes are seen")
    now = per_fma(counts, M * N * K / WARP)
    reference = references().get((lab, ""), {})
    said, held = [], True
    for name, bound in task.bounds.items():
        least = BOUNDS[name] == LEAST
        held = held and (now[name] >= bound if least else now[name] <= bound)
        known = f"reference {reference[name]:.3g}, " if name in reference else ""
        limit = "at least" if least else "limit"
        said.append(f"{name}: now {now[name]:.3g}, {known}{limit} {bound:g}")
    return Asked(held, "; ".join(said), now)


def per_fma(counts: Iterable[Count], fmas: float) -> dict[str, float]:
    sums = dict.fromkeys(BOUNDS, 0)
    for one in counts:
        if one.space == GLOBAL:
            sums["sectors"] += one.units
        elif one.space == SHARED:
            sums["conflicts"] += one.units - one.ideal
            sums["shared"] += 0 if one.writes else one.requests
    return {name: round(count / fmas, 4) for name, count in sums.items()}


def of_reference(counts: list[Count], fmas: float) -> dict[str, float]:
    """A row of reference.tsv."""
    of_global = [one for one in counts if one.space == GLOBAL and not one.writes]
    loads = sum(one.lanes for one in of_global) / WARP / fmas
    found = {**per_fma(counts, fmas), "loads": round(loads, 6)}
    for array in "AB":
        requests = sum(one.requests for one in of_global if one.array == array)
        sectors = sum(one.units for one in of_global if one.array == array)
        found[array] = round(sectors / requests, 4) if requests else 0.0
    return found


@cache
def references() -> dict[tuple[str, str], dict[str, float]]:
    """By lab, and variant or setting: what the workbook's own come to."""
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {
        (lab, variant.strip("-")): dict(zip(NUMBERS, map(float, numbers)))
        for lab, variant, *numbers in rows
    }
