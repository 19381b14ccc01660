# SPDX-License-Identifier: MIT
"""A mistake that a tool found: what kind it is, where in the kernel, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

# Of several mistakes the one that may have caused the others comes first: who writes outside a tile
# races with its neighbours, who misses a barrier races, and who races reads what is not yet
# written.
WORST_FIRST = (
    "memory",
    "bounds",
    "undefined",
    "launch",
    "divergence",
    "warp",
    "copy",
    "race",
    "leak",
    "growth",
    "unwritten",
)


@dataclass(frozen=True)
class Finding:
    kind: str  # one of these, or build, limit, wrong, other
    text: str = ""  # what exactly
    line: int | None = None  # of the kernel
    other: int | None = None  # a second one, further down
    writer: int | None = None  # of a race, that of the two which alone writes
    note: str = ""  # behind all that is said


@dataclass
class Draft:
    """A finding while its lines are read. Of each stack only the innermost place in the kernel
    counts."""

    kind: str
    text: str = ""
    places: list[int] = field(default_factory=list)
    searching: bool = True
    writes: bool = False  # what is read of now
    writers: set[int] = field(default_factory=set)

    def place(self, line: int) -> None:
        if self.searching and len(self.places) < 2:
            self.places.append(line)
            if self.writes:
                self.writers.add(line)
        self.searching = False

    def finding(self) -> Finding:
        lines = sorted(set(self.places))
        writer = min(self.writers) if len(lines) == 2 and len(self.writers) == 1 else None
        line, other, *_ = [*lines, None, None]
        return Finding(self.kind, self.text, line, other, writer)


def worst(findings: Sequence[Finding]) -> Finding | None:
    """Of one kind the first."""
    return min(findings, key=lambda finding: WORST_FIRST.index(finding.kind), default=None)


def sentence(finding: Finding, backend: str | None) -> str:
    items, group = ("work-items", "work-group") if backend == "opencl" else ("threads", "block")
    said = {
        "race": finding.text
        or f"data race: two {items} use one address, one of them writes, and nothing orders them",
        "divergence": (
            f"barrier divergence: not all {items} of the {group} come to the same barrier"
        ),
        "bounds": f"out of bounds: {finding.text}",
        "unwritten": (
            "uninitialized: uses memory that nobody has written: "
            "an edge of a tile, or a sum, is never set"
        ),
        "leak": f"memory leak: {finding.text} are allocated here and never freed",
        "growth": (
            "memory leak: what the kernel keeps grows from call to call, without end: "
            f"{finding.text}"
        ),
        "undefined": f"undefined behaviour: {finding.text}",
    }.get(finding.kind, finding.text)
    if finding.kind == "race" and finding.text:  # the barrier, and both lines
        return f"{said}{finding.note}"
    if finding.kind == "race" and finding.line is None:  # nobody knows which
        said += ": is a barrier missing?"
    elif (
        finding.kind == "race" and finding.other is None
    ):  # one line: two writers, whom no barrier orders
        said += ": should each have its own? Where all write the same, one is enough"
    too = "" if finding.other is None else f"; see line {finding.other}, too"
    return f"{said}{too}{finding.note}"
