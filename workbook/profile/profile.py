# SPDX-License-Identifier: MIT
"""profile LAB ...: what each line of a kernel asks memory for, counted and not timed: sectors of
global memory, bank conflicts, misses of caches; and which lines cost most. Writes each lab's
build/profile.json."""

from __future__ import annotations

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
from workbook.profile.nvidia import hardware
from workbook.profile.nvidia.hardware import Hardware
from workbook.profile.run_counted import COUNTED_BY, Profile, lanes_of_a_warp, profile, size_for
from workbook.profile.source import GLOBAL, MEMORY, SHARED
from workbook.profile.table import UNITS, shown, sums

SCHEMA = "gemm-profile/2"
A_PROGRAM = 8.0  # seconds, about
# Of a problem that is counted for make hint: small, in full tiles, and of C larger than a cache's
# columns.
SMALL = {"cpu": ["256"], "opencl": ["128", "128", "64"], "cuda": ["128", "128", "64"]}


def of_lab(
    lab: Lab, settings: list[str], on_gpu: bool, work: Path
) -> tuple[Profile, Hardware | None]:
    program, size = labs.chosen(lab, settings), size_for(lab)
    if on_gpu and lab.backend != "cuda":
        raise UserError(f"{lab.name}: DEVICE=gpu asks ncu, which knows CUDA alone: lab 08, 09")
    one = profile(lab, program, settings, size, work, warp=lanes_of_a_warp(lab))
    if on_gpu and one.counts:
        return one, hardware.measure(lab, program, settings, size, one, work)
    return one, None


def as_record(
    one: Profile, settings: list[str], measured: Hardware | None = None
) -> dict[str, Any]:
    counted = not (one.skip or one.failure)
    of_warps = one.lab.backend != "cpu"
    return {
        "schema": SCHEMA,
        **now(),
        "lab": one.lab.name,
        "backend": one.lab.backend,
        "type": one.lab.type,
        "settings": settings,
        "by": COUNTED_BY[one.lab.backend or "cpu"],
        "warp": one.warp if of_warps else None,
        "programs": [
            {
                "name": one.program.name,
                "skip": one.skip or None,
                "failure": one.failure or None,
                "wrong": one.wrong or None,
                "problem": one.problem if counted else None,
                "lines": [vars(line) for line in one.lines] or [*map(of_count, one.counts)],
                "branches": [vars(branch) for branch in one.branches],
                "totals": totals(one) if counted and of_warps else None,
                "hardware": hardware.as_record(one, measured) if measured else None,
            }
        ],
    }


def counted(lab: Lab, program: Program) -> Profile:
    """Of a small problem, with its own tunables; the lab keeps the record."""
    with temp_folder("profile") as work:
        one = profile(lab, program, [], SMALL[lab.backend or "cpu"], work)
    write(lab.path / "build/profile.json", as_record(one, []))
    return one


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
    units = {UNITS[count.space]: count.units}
    return {"requests": count.requests, **units, "ideal": count.ideal, "bytes": count.bytes}


def totals(one: Profile) -> dict[str, Any]:
    """Of all lines; zeros of what no line does."""
    found = {(count.space, count.writes): count for count in sums(one.counts)}
    kinds = [
        (space, writes)
        for space in ((MEMORY,) if one.lab.backend == "cpu" else (GLOBAL, SHARED))
        for writes in (False, True)
    ]
    return {
        f"{space}_{'store' if writes else 'load'}": of_sum(
            found.get((space, writes), Count(0, "", space, writes, 0, 0, 0, 0, 0, 0))
        )
        for space, writes in kinds
    }


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
        lanes_of_a_warp(lab)  # a mistake in WARP is told before anything is built
    with ProgressBar("profile", A_PROGRAM * len(described)) as progress:
        for lab in described:
            progress.show_only(lab.name)
            with temp_folder("profile") as work:
                one, measured = of_lab(lab, settings, on_gpu, work)
            beside = ["", *hardware.shown(one, measured)] if measured else []
            progress.print("\n".join([*shown(one, flag("V"), beside), ""]))
            write(lab.path / "build/profile.json", as_record(one, settings, measured))
            failed = failed or bool(one.failure)
    return 1 if failed else 0
