# SPDX-License-Identifier: MIT
"""profile LAB ...: what each line of a kernel asks memory for, counted and not timed: sectors of
global memory, bank conflicts, misses of caches; and which lines cost most. Writes each lab's
build/profile.json."""

from __future__ import annotations

from typing import Any

from workbook import flag
from workbook.core.files import temp_folder
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import now, write
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab, Program
from workbook.profile.counts import Count
from workbook.profile.run_counted import COUNTED_BY, Profile, profile, size_for
from workbook.profile.source import GLOBAL, MEMORY, SHARED
from workbook.profile.table import UNITS, shown, sums

SCHEMA = "gemm-profile/1"
A_PROGRAM = 8.0  # seconds, about
# Of a problem that is counted beside other things: small, in full tiles, and of C larger than a
# cache's columns.
SMALL = {"cpu": ["256"], "opencl": ["128", "128", "64"], "cuda": ["128", "128", "64"]}


def as_record(one: Profile, settings: list[str]) -> dict[str, Any]:
    counted = not (one.skip or one.failure)
    return {
        "schema": SCHEMA,
        **now(),
        "lab": one.lab.name,
        "backend": one.lab.backend,
        "type": one.lab.type,
        "settings": settings,
        "by": COUNTED_BY[one.lab.backend or "cpu"],
        "programs": [
            {
                "name": one.program.name,
                "skip": one.skip or None,
                "failure": one.failure or None,
                "wrong": one.wrong or None,
                "problem": one.problem if counted else None,
                "lines": lines(one),
                "totals": totals(one) if counted and one.lab.backend != "cpu" else None,
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
        "make profile LAB=09 SIZE='250 200 130' VARIANT=published; V=1: the source, annotated.",
        libraries=False,
    )
    failed = False
    with ProgressBar("profile", A_PROGRAM * len(described)) as progress:
        for lab in described:
            progress.show_only(lab.name)
            with temp_folder("profile") as work:
                one = profile(lab, labs.chosen(lab, settings), settings, size_for(lab), work)
            progress.print("\n".join([*shown(one, flag("V")), ""]))
            write(lab.path / "build/profile.json", as_record(one, settings))
            failed = failed or bool(one.failure)
    return 1 if failed else 0
