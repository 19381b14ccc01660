# SPDX-License-Identifier: MIT
"""Each request of a warp by itself: gemm-requests/1 of the counting tools, with the names that the
source has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbook.core.process import run
from workbook.core.records import read
from workbook.profile.counts import name_of
from workbook.profile.source import GLOBAL, MEMORY, SHARED, Names, lines_of

SITE = {
    **{"launch": int, "line": str, "space": (GLOBAL, SHARED, MEMORY), "array": str},
    **{"writes": bool, "size": int},
}
REQUESTS = {
    "schema": "gemm-requests/1",
    "launches": [{"kernel": str, "grid": [int], "block": [int]}],
    "sites": [SITE],
    "requests": [[int]],
}


@dataclass(frozen=True)
class Launch:
    kernel: str
    grid: tuple[int, ...]  # blocks: x, y, z
    block: tuple[int, ...]  # threads of one


@dataclass(frozen=True)
class Site:
    """An instruction, and an array that it accesses."""

    launch: int
    line: int  # 0: nobody knows
    space: str
    array: str
    writes: bool
    size: int  # bytes of a lane


@dataclass(frozen=True)
class Request:
    """Of a warp, at a site; what it costs is counted as it is for make profile."""

    site: int
    block: int
    phase: int
    warp: int
    order: int
    units: int
    ideal: int
    bytes: int
    lanes: tuple[
        tuple[int, int], ...
    ]  # those that take part, and bytes from the beginning of the array


@dataclass(frozen=True)
class Steps:
    launches: list[Launch]
    sites: list[Site]
    requests: list[Request]


def of_file(path: Path, program: Path, kernel: Path) -> Steps:
    """Raises NoRecord where there is none."""
    said = read(path, REQUESTS)
    lines = lines_of([one["line"] for one in said["sites"]], program, kernel.name)
    named = Names(kernel.read_text(encoding="utf-8", errors="replace"))
    launches = [
        Launch(one["kernel"], tuple(one["grid"]), tuple(one["block"])) for one in said["launches"]
    ]
    sites = []
    for one in said["sites"]:
        line, in_kernel = lines[one["line"]], launches[one["launch"]].kernel
        array = name_of(named, one["space"], one["array"], line, in_kernel)
        sites.append(Site(one["launch"], line, one["space"], array, one["writes"], one["size"]))
    return Steps(launches, sites, [request(words) for words in said["requests"]])


def request(words: list[int]) -> Request:
    site, block, phase, warp, order, units, ideal, asked, active, *at = words
    on = [lane for lane in range(active.bit_length()) if active >> lane & 1]
    lanes = tuple(zip(on, at))
    return Request(site, block, phase, warp, order, units, ideal, asked, lanes)


def objects(program: Path) -> str:
    """The static objects of a program in C for engine/count/c.cpp: name, address and bytes."""
    said = run(["nm", "-S", "--defined-only", str(program)], program.parent, 60).out
    rows = [line.split() for line in said.splitlines()]
    return " ".join(
        f"{row[3]} {int(row[0], 16)} {int(row[1], 16)}"
        for row in rows
        if len(row) == 4 and row[2] in "bBdD"
    )
