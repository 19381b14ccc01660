# SPDX-License-Identifier: MIT
"""What a program asked memory for, by line of its kernel and array: gemm-counts/1 of the counting
tools, with the names that the source has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbook.core.records import read
from workbook.profile.source import GLOBAL, MEMORY, SHARED, Names, lines_of

NUMBERS = ("requests", "lanes", "bytes", "units", "ideal")
ACCESS = {"kernel": str, "line": str, "space": (GLOBAL, SHARED, MEMORY), "array": str}
COUNTS = {
    "schema": "gemm-counts/1",
    "counts": [{**ACCESS, "writes": bool, "size": int, **dict.fromkeys(NUMBERS, int)}],
    "branches": [{"kernel": str, "line": str, "times": int, "divergent": int}],
    "launches": [{"kernel": str}],
}
SECTOR = 32  # bytes


@dataclass(frozen=True)
class Count:
    """Of one line and array. Units are sectors of global memory, wavefronts of shared memory, and
    lines of a CPU's."""

    line: int  # 0: nobody knows
    array: str  # A, a_tile
    space: str
    writes: bool
    requests: int  # instructions of a warp
    lanes: int  # that took part in them
    asked: int  # bytes, of each lane its own
    bytes: int  # of each request each once
    units: int
    ideal: int

    @property
    def access(self) -> str:
        return f"{self.space} {'store' if self.writes else 'load'}"


@dataclass(frozen=True)
class Branch:
    """The branches of a line."""

    line: int
    times: int  # that warps came to them
    divergent: int  # of these, that the lanes of one went different ways


def kernels_of(path: Path) -> list[str]:
    """Those that were launched."""
    return [one["kernel"] for one in read(path, COUNTS)["launches"]]


def branches_of(path: Path, program: Path, kernel: Path) -> list[Branch]:
    """In the order of the source; those of functions that come from elsewhere are left out."""
    said = read(path, COUNTS)["branches"]
    lines = lines_of([one["line"] for one in said], program, kernel.name, inlined=False)
    sums: dict[int, Branch] = {}
    for one in said:
        line = lines[one["line"]]
        before = sums.get(line, Branch(line, 0, 0))
        times, divergent = before.times + one["times"], before.divergent + one["divergent"]
        sums[line] = Branch(line, times, divergent)
    return [sums[line] for line in sorted(sums) if line]


def of_file(path: Path, program: Path, kernel: Path) -> list[Count]:
    """One for each line, array and kind of access, in the order of the source. Raises NoRecord
    where there is none: the kernel did not come to its end."""
    counts = read(path, COUNTS)["counts"]
    lines = lines_of([one["line"] for one in counts], program, kernel.name)
    named = Names(kernel.read_text(encoding="utf-8", errors="replace"))
    found: dict[tuple[int, str, bool, str], Count] = {}
    for said in counts:
        line = lines[said["line"]]
        array = name_of(named, said["space"], said["array"], line, said["kernel"])
        one = count_of(said, line, array)
        key = line, one.space, one.writes, array
        found[key] = added(found[key], one) if key in found else one
    return [found[key] for key in sorted(found)]


def unnamed(path: Path) -> list[Count]:
    """Without lines, and with the names of a CPU's arrays alone. Raises NoRecord."""
    every = read(path, COUNTS)["counts"]
    return [count_of(one, 0, one["array"] if one["space"] == MEMORY else "?") for one in every]


def count_of(one: dict[str, Any], line: int, array: str) -> Count:
    """As the record has it, beside the line and the name that were found for it."""
    numbers = {name: one[name] for name in NUMBERS}
    asked = one["lanes"] * one["size"]
    return Count(line, array, one["space"], one["writes"], asked=asked, **numbers)


def name_of(named: Names, space: str, array: str, line: int, kernel: str) -> str:
    """Of an array of this number; of a CPU's the record has the name."""
    if space == MEMORY:
        return array
    if space == SHARED:
        return named.of_shared(int(array), line)
    return named.of_global(int(array), kernel)


def added(a: Count, b: Count) -> Count:
    return replace(a, **{name: getattr(a, name) + getattr(b, name) for name in (*NUMBERS, "asked")})
