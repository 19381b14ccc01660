# SPDX-License-Identifier: MIT
"""count.py COMMAND=STATUS ...: adds up what .ci/run ran, from the records that the commands left in
build/, never from what they printed. Its last line is: N passed, N failed, N skipped. A command
without its record, one in which nothing ran, and one that failed although its record has no
failure, are failures, too."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUILD = Path(__file__).resolve().parent.parent / "build"


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: Counts) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


class Unsound(Exception):
    """Why a record does not count."""


def of_labs(path: Path, schema: str) -> Counts:
    """Of a record that has a verdict for each lab, and how many there are of each."""
    record: Any = json.loads(path.read_bytes())
    if record["schema"] != schema:
        raise Unsound(f"is no {schema}")
    verdicts = [lab["verdict"] for lab in record["labs"]]
    counts = Counts(*(verdicts.count(verdict) for verdict in ("PASS", "FAIL", "SKIP")))
    if counts != Counts(record["passed"], record["failed"], record["skipped"]):
        raise Unsound("does not add up")
    return counts


def of_tests(path: Path) -> Counts:
    """Of pytest's JUnit XML."""
    cases = list(ElementTree.parse(path).iter("testcase"))
    kinds = [{part.tag for part in case} for case in cases]
    failed = sum(bool(kind & {"failure", "error"}) for kind in kinds)
    skipped = sum(kind & {"failure", "error", "skipped"} == {"skipped"} for kind in kinds)
    return Counts(len(cases) - failed - skipped, failed, skipped)


def durations(path: Path, slowest: int = 10) -> str:
    """The seconds of each file of tests, and of the slowest cases. Those that share a fixture wait
    for it in the first of them; workers run side by side, so that the sum is more than what a clock
    shows."""
    files: defaultdict[str, float] = defaultdict(float)
    cases: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(path).iter("testcase"):
        file = case.get("classname", "").rpartition(".")[2]
        files[file] += float(case.get("time", 0))
        cases[f"{file}::{case.get('name')}"] += float(case.get("time", 0))
    lines = [f"seconds of tests: {sum(files.values()):.0f}, of {len(files)} files"]
    lines += [
        f"{files[file]:8.1f}  {file}" for file in sorted(files, key=files.__getitem__, reverse=True)
    ]
    lines += [f"the {slowest} slowest cases"]
    longest = sorted(cases, key=cases.__getitem__, reverse=True)[:slowest]
    lines += [f"{cases[case]:8.1f}  {case}"[:110] for case in longest]
    return "\n".join(lines)


RECORDS: dict[str, tuple[str, Callable[[Path], Counts]]] = {
    "check": ("check.json", lambda path: of_labs(path, "gemm-check/2")),
    "race": ("race.json", lambda path: of_labs(path, "gemm-race/1")),
    "selftest": ("selftest.xml", of_tests),
}


def count(command: str, status: int, build: Path) -> tuple[Counts, str]:
    """What a command comes to; and what is wrong with that, or nothing."""
    counts = Counts()
    if command in RECORDS:
        name, read = RECORDS[command]
        try:
            counts = read(build / name)
        except FileNotFoundError:
            return counts, f"left no build/{name}"
        except (OSError, ValueError, KeyError, TypeError, ElementTree.ParseError) as error:
            return counts, f"build/{name} is damaged: {error}"
        except Unsound as why:
            return counts, f"build/{name} {why}"
        if counts == Counts():
            return counts, "nothing ran"
    if bool(status) == bool(counts.failed):
        return counts, ""
    return counts, f"ended with status {status}, and {counts.failed} failures in its record"


def main(words: list[str], build: Path = BUILD) -> int:
    total = Counts()
    for word in words:
        command, _, status = word.partition("=")
        counts, wrong = count(command, int(status), build)
        total.add(counts)
        if wrong:
            print(f"FAIL {command}: {wrong}")
            total.failed += 1
        elif command == "selftest":
            print(durations(build / RECORDS[command][0]))
    if total.passed + total.failed == 0:
        print("FAIL nothing passed")
        total.failed += 1
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
