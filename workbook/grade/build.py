# SPDX-License-Identifier: MIT
"""From what was handed in to a worker, inside a sandbox, with the flags that the lab itself is built with."""

from __future__ import annotations

import fcntl
import os
import re
from dataclasses import dataclass, field

from workbook import Mistake, labs
from workbook.grade.sandbox import GRADING, Box, own, run_inside
from workbook.handin.bench import DISK, MEMORY, SECONDS, Bench, Unfit, first_error, lay_out
from workbook.process import Outcome
from workbook.text import plain


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

    def step(self, command: list[str], result: str = "", what: str = "does not build") -> Outcome:
        return step(self, command, result, what)

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """What the compiler sees."""
        every = (*self.places, (str(GRADING), "/grading"))
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


def step(work: Work, command: list[str], result: str = "", what: str = "does not build") -> Outcome:
    """One of the compiler's. If it does not end well, there is no worker. What it makes of /out/RESULT
    becomes built/RESULT: the one file that anybody in the sandbox can write to."""
    target = work.built / result if result else None
    if target is not None:
        target.touch()
        own(target)
        keep = 'result=$1; shift; "$@" && cat "$result" >&8'
        command = ["sh", "-c", keep, "sh", f"/out/{result}", *command]
    box = Box(
        "compiler",
        work.files,
        result=target,
        loose=work.folder / "loose",
        system=True,
        environment=("PYTHON=/usr/bin/python3", "POCL_CACHE_DIR=/tmp"),
        memory=work.limits.memory,
        disk=work.limits.disk,
        processes=64,
        without=work.without,
    )
    outcome = run_inside(command, box, work.limits.seconds)
    if outcome.timed_out:
        raise Unfit("REFUSED", f"the compiler needs more than {work.limits.seconds:g} s for it")
    if outcome.status != 0:
        raise Unfit("FAIL", f"{what}: {first_error(outcome)}")
    if target is not None:
        target.chmod(0o755)
    return outcome
