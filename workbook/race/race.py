# SPDX-License-Identifier: MIT
"""race LAB ...: looks for data races, out-of-bounds accesses, barrier divergence and
memory that is used before it is written, in every program of the labs. Writes build/race.json."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from workbook import TOP, flag
from workbook.core import parallel
from workbook.core.files import temp_folder
from workbook.core.lock import lock
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import NoRecord, of_labs, read, write
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab, Program
from workbook.race import output
from workbook.race.output import RaceResult
from workbook.race.run_tools import ToolRun, missing_tools, run_all

RECORD = TOP / "build/race.json"
SECONDS = {
    "cpu": 6.0,
    "opencl": 25.0,
    "cuda": 15.0,
}  # that a program takes, about, where no former run says more
FORMER = {
    "schema": output.SCHEMA,
    "labs": [
        {
            "lab": str,
            "tools": [{"program": (str, None), "seconds": (int, float), "building": (int, float)}],
        }
    ],
}


def chosen(lab: Lab, settings: list[str]) -> list[Program]:
    """Its programs, the steps first; or the one that VARIANT names."""
    if labs.variant(settings):
        return [labs.chosen(lab, settings)]
    return sorted(lab.programs, key=lambda program: (program.step is None, program.step or 0))


def race(
    described: list[Lab], settings: list[str], verbose: bool
) -> tuple[list[RaceResult], float]:
    """All labs, a program at a time on each core. Those that take longest begin, lest one is left
    over."""
    took = former_seconds()
    programs = [(lab, program) for lab in described for program in chosen(lab, settings)]
    seconds = {
        (lab.name, program.name): took.get(
            (lab.name, program.name), SECONDS.get(lab.backend or "", 0.0)
        )
        for lab, program in programs
    }
    cores = os.cpu_count() or 1
    about = max(
        sum(seconds.values()) / min(cores, len(programs) or 1), max(seconds.values(), default=0)
    )
    progress = ProgressBar("race", about)
    runs: dict[tuple[Path, str], list[ToolRun]] = {}
    digests = {lab.path: lab.digest for lab in described}

    def one(lab: Lab, program: Program, work: Path) -> None:
        with progress.at(f"{lab.name} {program.name}"):
            runs[lab.path, program.name] = run_all(lab, program, settings, work, verbose=verbose)

    longest_first = sorted(programs, key=lambda pair: -seconds[pair[0].name, pair[1].name])
    with temp_folder("race") as work, progress:
        parallel.run_all([partial(one, *pair, work) for pair in longest_first], progress)
    return [
        RaceResult(
            lab,
            missing_tools(lab, short=False)
            + [said for program in chosen(lab, settings) for said in runs[lab.path, program.name]],
            digests[lab.path],
        )
        for lab in described
    ], progress.seconds()


def former_seconds() -> dict[tuple[str, str], float]:
    try:
        former = read(RECORD, FORMER)
    except NoRecord:
        return {}
    took: dict[tuple[str, str], float] = {}
    for entry in former["labs"]:
        for tool in entry["tools"]:
            if tool["program"]:
                key = entry["lab"], tool["program"]
                took[key] = took.get(key, 0) + tool["seconds"] + tool["building"]
    return took


def as_json(raced: list[RaceResult], settings: list[str], seconds: float) -> dict[str, Any]:
    entries = [output.as_record(one) for one in raced]
    return of_labs(output.SCHEMA, raced[0].lab.type, settings, seconds, entries)


def save(raced: list[RaceResult], settings: list[str]) -> None:
    """Each lab's own, of all its programs as they are built by themselves."""
    for one in raced:
        if not settings:
            write(one.lab.path / "build/race.json", as_json([one], settings, 0.0))


def tell(raced: list[RaceResult], record: dict[str, Any], seconds: float) -> None:
    print(output.header())
    for one in raced:
        print("\n".join(output.format_row(one)))
    print(f"\n{output.cost([said for one in raced for said in one.runs], seconds)}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**record))


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "race",
        words,
        "Looks for data races, out-of-bounds accesses and barrier divergence, with every "
        "tool there is. Settings pass through make: make race VARIANT=one_per_item TILE=8. V=1 "
        "shows "
        "all that the tools say.",
        "LIMIT: seconds for one run, 400.",
        libraries=False,
    )
    with lock(RECORD.with_name("race.lock")):
        raced, seconds = race(list(dict.fromkeys(described)), settings, verbose=flag("V"))
        record = as_json(raced, settings, seconds)
        try:
            write(RECORD, record)
            save(raced, settings)
        finally:  # a full disk does not take the verdict
            tell(raced, record, seconds)
    return 1 if record["failed"] else 0
