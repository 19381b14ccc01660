# SPDX-License-Identifier: MIT
"""profile LAB ...: what each line of a kernel asks memory for, counted and not timed: sectors of
global memory, bank conflicts, misses of caches; and which lines cost most. Writes each lab's
build/profile.json."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbook import UserError, flag
from workbook.core.files import temp_folder
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import now, write
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab, Program
from workbook.profile.counts import Count
from workbook.profile.nvidia import hardware, occupancy
from workbook.profile.nvidia.hardware import Hardware
from workbook.profile.nvidia.occupancy import Occupancy
from workbook.profile.run_counted import (
    COUNTED_BY,
    Profile,
    lanes_of_a_warp,
    profile,
    size_for,
)
from workbook.profile.source import GLOBAL, MEMORY, SHARED
from workbook.profile.table import UNITS, shown, sums

SCHEMA = "gemm-profile/1"
A_PROGRAM = 8.0  # seconds, about
# Of a problem that is counted beside other things: small, in full tiles, and of C larger than a
# cache's columns.
SMALL = {"cpu": ["256"], "opencl": ["128", "128", "64"], "cuda": ["128", "128", "64"]}


@dataclass(frozen=True)
class Beside:
    """The counts, of a CUDA kernel."""

    occupancy: list[Occupancy] = field(default_factory=list)
    unknown: str = ""  # why there is no occupancy
    measured: Hardware | None = None  # on a GPU, where that is asked for

    def shown(self, one: Profile) -> Iterator[str]:
        if one.lab.backend == "cuda" and one.counts:
            yield ""
            yield from occupancy.shown(self.occupancy, self.unknown)
        if self.measured:
            yield ""
            yield from hardware.shown(one, self.measured)

    def as_record(self, one: Profile) -> dict[str, Any]:
        is_known = bool(one.counts and (self.occupancy or self.unknown))
        return {
            "occupancy": occupancy.as_record(self.occupancy, self.unknown) if is_known else None,
            "hardware": hardware.as_record(one, self.measured) if self.measured else None,
        }


NOTHING = Beside()


def of_lab(lab: Lab, settings: list[str], on_gpu: bool, work: Path) -> tuple[Profile, Beside]:
    """What ptxas says of a kernel is asked while it is counted."""
    program, size = labs.chosen(lab, settings), size_for(lab)
    if lab.backend != "cuda":
        if on_gpu:
            raise UserError(f"{lab.name}: DEVICE=gpu asks ncu, which knows CUDA alone: lab 08, 09")
        return profile(lab, program, settings, size, work, warp=lanes_of_a_warp(lab)), Beside()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(occupancy.used, lab, program, settings, work)
        one = profile(lab, program, settings, size, work)
        found, unknown = asked.result()
    measured = None
    if on_gpu and one.counts:
        measured = hardware.measure(lab, program, settings, size, one, work)
    devices = occupancy.of_launches(found, one.launches)
    if not devices and not unknown:
        unknown = "ptxas names none of the kernels that were launched"
    return one, Beside(devices, unknown, measured)


def as_record(one: Profile, settings: list[str], beside: Beside = NOTHING) -> dict[str, Any]:
    counted = not (one.skip or one.failure)
    return {
        "schema": SCHEMA,
        **now(),
        "lab": one.lab.name,
        "backend": one.lab.backend,
        "type": one.lab.type,
        "settings": settings,
        "by": COUNTED_BY[one.lab.backend or "cpu"],
        "warp": one.warp if one.lab.backend != "cpu" else None,
        "programs": [
            {
                "name": one.program.name,
                "skip": one.skip or None,
                "failure": one.failure or None,
                "wrong": one.wrong or None,
                "problem": one.problem if counted else None,
                "lines": lines(one),
                "branches": [vars(branch) for branch in one.branches],
                "totals": totals(one) if counted and one.lab.backend != "cpu" else None,
                **beside.as_record(one),
            }
        ],
    }


def counted(lab: Lab, program: Program) -> Profile:
    """Of a small problem, with its own tunables; the lab keeps the record."""
    with temp_folder("profile") as work:
        one = profile(lab, program, [], SMALL[lab.backend or "cpu"], work)
    write(lab.path / "build/profile.json", as_record(one, []))
    return one


def lines(one: Profile) -> list[dict[str, Any]]:
    return [vars(line) for line in one.lines] or [of_count(count) for count in one.counts]


def of_count(count: Count) -> dict[str, Any]:
    return {
        "line": count.line or None,
        "array": count.array,
        "space": count.space,
        "writes": count.writes,
        "lanes": count.lanes,
        **of_sum(count),
    }


def of_sum(count: Count) -> dict[str, int]:
    unit = UNITS[count.space]
    return {
        "requests": count.requests,
        unit: count.units,
        "ideal": count.ideal,
        "bytes": count.bytes,
    }


def totals(one: Profile) -> dict[str, Any]:
    found = {
        f"{count.space}_{'store' if count.writes else 'load'}": of_sum(count)
        for count in sums(one.counts)
    }
    for space in (MEMORY,) if one.lab.backend == "cpu" else (GLOBAL, SHARED):
        for access in "load", "store":
            found.setdefault(
                f"{space}_{access}", dict.fromkeys(("requests", UNITS[space], "ideal", "bytes"), 0)
            )
    return found


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "profile",
        words,
        "Counts what each line of a kernel asks memory for. These are counts and no times.",
        "make profile LAB=09 SIZE='250 200 130' VARIANT=published; V=1: the source, annotated; "
        "WARP=64: of an OpenCL lab with the lanes of an AMD GPU.",
        libraries=False,
    )
    failed, on_gpu = False, hardware.is_wanted()
    for lab in described:
        lanes_of_a_warp(lab)
    with ProgressBar("profile", A_PROGRAM * len(described)) as progress:
        for lab in described:
            progress.show_only(lab.name)
            with temp_folder("profile") as work:
                one, beside = of_lab(lab, settings, on_gpu, work)
            progress.print("\n".join([*shown(one, flag("V"), beside.shown(one)), ""]))
            write(lab.path / "build/profile.json", as_record(one, settings, beside))
            failed = failed or bool(one.failure)
    return 1 if failed else 0
