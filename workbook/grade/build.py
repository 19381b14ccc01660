# SPDX-License-Identifier: MIT
"""From what was handed in to a worker, inside a sandbox, with the flags that the lab itself is built with."""

from __future__ import annotations

import fcntl
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from workbook import TOP, Mistake, labs
from workbook.grade.machine import NO_MEMORY, memory_kills, require_machine
from workbook.grade.sandbox import Box, grading, own, run_inside, shown
from workbook.handin.bench import DISK, MEMORY, SECONDS, Bench, Unfit, first_error, lay_out
from workbook.text import plain

GRADING = TOP / "grading/build"
UNWANTED = 3
# Inside. How a step ends tells what the compiler said (UNWANTED) from a result that cannot be kept (4), a
# program that is not there or is killed, and a sandbox that cannot be made.
STEP = f"""result=$1; shift; "$@"; said=$?
[ $said -eq 0 ] || exit $((said < 126 ? {UNWANTED} : said))
cat "$result" >&8 || exit 4"""
TRIES = 2
PATIENCE = 4  # times as long by the wall clock as by the processor's
OVERDUE = "CPU time limit exceeded"  # what a compiler says whose own processes had too much of it


class Overdue(Unfit):
    """All calls together take too long."""


@dataclass(frozen=True)
class Limits:
    """What a compiler may use. Tests take less."""

    seconds: float = SECONDS
    launch: int = 40  # seconds for a first launch of an OpenCL kernel, for which its driver compiles it
    memory: int = MEMORY
    disk: int = DISK


@dataclass(frozen=True)
class Work(Bench):
    """A kernel whose compiler has a sandbox."""

    limits: Limits = Limits()
    without: frozenset[str] = field(default_factory=frozenset)  # defences that a test switches off

    def holds(self, defence: str) -> bool:
        return defence not in self.without

    def step(self, command: list[str], result: str, what: str = "does not build") -> None:
        step(self, command, result, what)

    @property
    def workbook(self) -> Path:
        return shown()

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """What the compiler sees."""
        every = (*self.places, (str(grading()), "/grading"))
        return (*every, ("/etc/OpenCL", "/etc/OpenCL")) if self.backend == "opencl" else every


def build_tools() -> None:
    """The judge, and our part of the workers; by one of those who want them at a time."""
    GRADING.mkdir(exist_ok=True)
    with open(GRADING / "lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        outcome = labs.make(GRADING.parent, [f"-j{os.cpu_count() or 1}", "PYTHON=/usr/bin/python3"], 300)
    if outcome.status != 0:
        said = [line for line in (outcome.err + outcome.out).splitlines() if line.strip()]
        first = next(
            (line for line in said if re.search(r"error|cannot find", line)), said[-1] if said else ""
        )
        raise Mistake(f"the judge does not build: {plain(first)}: ./setup grade")


def open_bench(work: Work, files: dict[str, bytes]) -> None:
    lay_out(work, files)
    (work.folder / "loose").mkdir()
    own(work.folder / "loose")


def step(work: Work, command: list[str], result: str, what: str = "does not build") -> None:
    """One of the compiler's. If it does not want what was handed in, there is no worker. What it makes of
    /out/RESULT becomes built/RESULT: the one file that anybody in the sandbox can write to. However else a
    step ends, the machine is looked at, and the step taken once more."""
    target = work.built / result
    target.touch()
    own(target)
    box = Box(
        "compiler",
        work.files,
        result=target,
        loose=work.folder / "loose",
        system=True,
        environment=("PYTHON=/usr/bin/python3", "POCL_CACHE_DIR=/tmp"),
        memory=work.limits.memory,
        disk=work.limits.disk,
        cpu=round(work.limits.seconds),
        processes=64,
        without=work.without,
    )
    words = ["sh", "-c", STEP, "sh", f"/out/{result}", *command]
    for _ in range(TRIES):
        kills = memory_kills()
        outcome = run_inside(words, box, PATIENCE * work.limits.seconds)
        if outcome.status == 0:
            target.chmod(0o755)
            return
        if outcome.timed_out or OVERDUE in outcome.err:
            raise Unfit("REFUSED", f"the compiler needs more than {work.limits.seconds:g} s for it")
        killed = memory_kills() > kills
        if outcome.status == UNWANTED and outcome.out + outcome.err and not killed:
            break
        require_machine(work.folder)
    if killed:
        raise Mistake(NO_MEMORY)
    if outcome.status in (126, 127):
        raise Mistake(f"cannot run {command[0]} in a sandbox: {first_error(outcome)}: ./setup grade")
    raise Unfit("FAIL", f"{what}: {first_error(outcome)}")
