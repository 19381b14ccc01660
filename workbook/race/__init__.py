# SPDX-License-Identifier: MIT
"""race LAB ...: looks for data races, accesses out of bounds, barriers that not all reach and memory that is
used before it is written, in every program of the labs. Writes build/race.json."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from workbook import TOP, Mistake, flag, labs
from workbook.labs import Lab, Program
from workbook.process import run
from workbook.program import FAIL, PASS, SKIP, limit
from workbook.progress import Progress
from workbook.race import told
from workbook.race.inspect import LIMIT, Look, look, missing_tools
from workbook.race.told import Raced
from workbook.records import NoRecord, read, write
from workbook.tasks import at_once

RECORD = TOP / "build/race.json"
SECONDS = {
    "cpu": 6.0,
    "opencl": 10.0,
    "cuda": 15.0,
}  # that a program takes, about, where no former run says more
FORMER = {
    "schema": told.SCHEMA,
    "labs": [
        {"lab": str, "tools": [{"program": (str, None), "seconds": (int, float), "building": (int, float)}]}
    ],
}


def arguments_of(words: list[str]) -> list[str]:
    parser = argparse.ArgumentParser(
        prog="race",
        description="Looks for races, accesses out of bounds and barriers that not all reach, with every "
        "tool there is. Settings pass through make: make race VARIANT=tile TILE=8. V=1 shows all that the "
        "tools say.",
        epilog="exit status: 0 no lab failed, 1 one did, 2 bad usage. LIMIT: seconds for one run, 200.",
    )
    parser.add_argument("lab", nargs="*", help="a lab's folder: lab07_ocl_localmem")
    given: list[str] = parser.parse_args(words).lab
    if not given:
        raise Mistake("which lab? python3 -m workbook race lab07_ocl_localmem, or make race for all")
    return given


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder for copies of labs, beside what is kept of them."""
    build = TOP / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build, prefix="race.") as folder:
        yield Path(folder)


def chosen(lab: Lab, settings: list[str]) -> list[Program]:
    """Its programs, the steps first; or the one that VARIANT names."""
    if labs.variant(settings):
        return [labs.chosen(lab, settings)]
    return sorted(lab.programs, key=lambda program: (program.step is None, program.step or 0))


def race(described: list[Lab], settings: list[str], verbose: bool) -> tuple[list[Raced], float]:
    """All labs, a program at a time on each core. Those that take longest begin, lest one is left over."""
    took = former_seconds()
    programs = [(lab, program) for lab in described for program in chosen(lab, settings)]
    seconds = {
        (lab.name, program.name): took.get((lab.name, program.name), SECONDS.get(lab.backend or "", 0.0))
        for lab, program in programs
    }
    cores = os.cpu_count() or 1
    about = max(sum(seconds.values()) / min(cores, len(programs) or 1), max(seconds.values(), default=0))
    progress = Progress("race", about)
    looks: dict[tuple[str, str], list[Look]] = {}

    def one(lab: Lab, program: Program, work: Path) -> None:
        with progress.at(f"{lab.name} {program.name}"):
            looks[lab.name, program.name] = look(lab, program, settings, work, verbose=verbose)

    with workshop() as work:
        longest_first = sorted(programs, key=lambda pair: -seconds[pair[0].name, pair[1].name])
        try:
            at_once([partial(one, *pair, work) for pair in longest_first], progress)
        finally:
            progress.clear()
    return [
        Raced(
            lab,
            missing_tools(lab, short=False)
            + [said for program in chosen(lab, settings) for said in looks[lab.name, program.name]],
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


def as_json(raced: list[Raced], settings: list[str], seconds: float) -> dict[str, Any]:
    verdicts = [one.verdict for one in raced]
    return {
        "schema": told.SCHEMA,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": run(["git", "describe", "--always", "--dirty"], TOP, 60).out.strip() or None,
        "type": raced[0].lab.type,
        "settings": settings,
        "seconds": round(seconds, 1),
        "labs": [told.as_record(one) for one in raced],
        "passed": verdicts.count(PASS),
        "failed": verdicts.count(FAIL),
        "skipped": verdicts.count(SKIP),
    }


def main(words: list[str]) -> int:
    folders = arguments_of(words)
    limit(LIMIT)  # a mistake in it is told now
    settings = labs.given(os.environ.get("MAKEFLAGS", ""))
    described = list(dict.fromkeys(labs.describe(folder, settings) for folder in folders))  # each once
    raced, seconds = race(described, settings, verbose=flag("V"))
    record = as_json(raced, settings, seconds)
    try:
        write(RECORD, record)
    finally:  # a full disk does not take the verdict
        print(told.header())
        for one in raced:
            print("\n".join(told.told(one)))
        print(f"\n{told.cost([said for one in raced for said in one.looks], seconds)}")
        print("{passed} passed, {failed} failed, {skipped} skipped".format(**record))
    return 1 if record["failed"] else 0
