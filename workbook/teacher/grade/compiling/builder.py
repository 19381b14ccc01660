# SPDX-License-Identifier: MIT
"""From what was handed in to a worker, inside a sandbox, with the flags that the lab itself is
built with."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.text import plain
from workbook.handin.bench import (
    DISK,
    MEMORY,
    SECONDS,
    Bench,
    Step,
    Unfit,
    first_error,
    lay_out,
    unbuilt,
)
from workbook.lab import labs
from workbook.teacher.grade.compiling.machine import NO_MEMORY, memory_kills, require_machine
from workbook.teacher.grade.compiling.sandbox import Box, grading, own, run_inside, shown

GRADING = TOP / "grading/build"
UNWANTED = 3
# Inside. File 8 has the results, before each its size. How a step ends tells what the compiler said
# (UNWANTED) from a result that cannot be kept (4), a program that is not there or is killed, and a
# sandbox that cannot be made.
STEP = f"""said=$1
step() {{
    made=$1; shift; "$@" >"$said" 2>&1 8>&-; ended=$?
    [ $ended -eq 0 ] || {{ cat "$said" >&2; exit $((ended < 126 ? {UNWANTED} : ended)); }}
    wc -c <"$made" >&8 && cat "$made" >&8 || exit 4
}}
"""
TRIES = 2
PATIENCE = 4  # times as long by the wall clock as by the processor's
OVERDUE = "CPU time limit exceeded"  # what a compiler says whose own processes had too much of it


class Overdue(Unfit):
    """All calls together take too long."""


@dataclass(frozen=True)
class Limits:
    """What a compiler may use. Tests take less."""

    seconds: float = SECONDS
    launch: int = (
        20  # seconds for a first launch of an OpenCL kernel, for which its driver compiles it
    )
    memory: int = MEMORY
    disk: int = DISK


@dataclass(frozen=True)
class Work(Bench):
    """A kernel whose compiler has a sandbox."""

    limits: Limits = Limits()
    without: frozenset[str] = field(default_factory=frozenset)  # defences that a test switches off

    def holds(self, defence: str) -> bool:
        return defence not in self.without

    def build(self, *steps: Step) -> None:
        build(self, steps)

    def keep(self, name: str, content: bytes) -> None:
        """A file in built/."""
        path = self.built / name
        try:
            path.write_bytes(content)
        except OSError as error:
            raise UserError(f"cannot keep {path}: {error.strerror}") from error
        path.chmod(0o755)

    @property
    def workbook(self) -> Path:
        return shown()

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """What the compiler sees."""
        every = (*self.places, (str(grading()), "/grading"))
        return (*every, ("/etc/OpenCL", "/etc/OpenCL")) if self.backend == "opencl" else every


@cache
def build_tools() -> None:
    """The judge, and our part of the workers; by one of those who want them at a time."""
    GRADING.mkdir(exist_ok=True)
    with open(GRADING / "lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        outcome = labs.make(
            GRADING.parent, [f"-j{os.cpu_count() or 1}", "PYTHON=/usr/bin/python3"], 300
        )
    if outcome.status != 0:
        said = [line for line in (outcome.err + outcome.out).splitlines() if line.strip()]
        first = next(
            (line for line in said if re.search(r"error|cannot find", line)),
            said[-1] if said else "",
        )
        raise UserError(f"the judge does not build: {plain(first)}: ./setup grade")


def open_bench(work: Work, files: dict[str, bytes]) -> None:
    lay_out(work, files)
    (work.folder / "loose").mkdir()
    own(work.folder / "loose")


def build(work: Work, steps: Sequence[Step]) -> None:
    """All steps in one sandbox. Where one runs what was handed in, it is the only one."""
    results, failure = take(work, steps)
    for step, result in zip(steps, results):
        work.keep(step.result, result)
    if failure is not None:
        raise failure


def take(work: Work, steps: Sequence[Step]) -> tuple[list[bytes], Unfit | None]:
    """The results, by way of the one file that anybody in the sandbox can write to, and why there
    are no more of them. If the compiler does not want what was handed in, there is no worker.
    However else it ends, the machine is looked at, and all is done once more."""
    target = work.folder / "results"
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
    words = script(steps)
    for _ in range(TRIES):
        kills = memory_kills()
        outcome = run_inside(words, box, PATIENCE * work.limits.seconds * len(steps))
        results = parts(target.read_bytes(), len(steps))
        if outcome.status == 0:
            return results, None
        if outcome.timed_out or OVERDUE in outcome.err:
            needs = f"the compiler needs more than {work.limits.seconds:g} s for it"
            return results, Unfit("REFUSED", needs)
        killed = memory_kills() > kills
        if outcome.status == UNWANTED and outcome.err and not killed:
            break
        require_machine(work.folder)
    if killed:
        raise UserError(NO_MEMORY)
    failed = steps[min(len(results), len(steps) - 1)]
    if outcome.status in (126, 127):
        program = failed.command[0]
        raise UserError(f"cannot run {program} in a sandbox: {first_error(outcome)}: ./setup grade")
    return results, unbuilt(failed, outcome)


def script(steps: Sequence[Step]) -> list[str]:
    """A command line of all steps. Their words are words of it, as whoever leaves out the sandbox
    has to translate each."""
    words = ["/out/said"]
    lines = []
    for step in steps:
        first = len(words) + 1
        words += [f"/out/{step.result}", *step.command]
        lines.append(" ".join(["step", *(f'"${{{n}}}"' for n in range(first, len(words) + 1))]))
    return ["sh", "-c", STEP + "\n".join(lines), "sh", *words]


def parts(kept: bytes, most: int) -> list[bytes]:
    """Those that are whole. It is as whoever was in the sandbox wrote it."""
    found: list[bytes] = []
    while len(found) < most and (size := re.match(rb"(\d{1,12})\n", kept)):
        end = size.end() + int(size[1])
        if end > len(kept):
            break
        found.append(kept[size.end() : end])
        kept = kept[end:]
    return found
