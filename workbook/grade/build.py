# SPDX-License-Identifier: MIT
"""From what was handed in to a worker, inside a sandbox, with the flags that the lab itself is built with."""

from __future__ import annotations

import fcntl
import os
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

from workbook import TOP, Mistake, labs
from workbook.course import Task
from workbook.grade.sandbox import GRADING, Box, own, run_inside
from workbook.labs import Lab
from workbook.process import Outcome
from workbook.text import plain

SECONDS = 60.0  # of the processor, for one step of the compiler
PATIENCE = 4  # times as long by the wall clock
OVERDUE = "CPU time limit exceeded"  # what a compiler says whose own processes had too much of it
MEMORY = 4 << 30  # bytes for it
LARGEST_TILE = 512  # of a larger one, or one without end, the judge does not look at the edges
GROUP = {"cpu": "1, 1", "opencl": "GROUP_X, GROUP_Y", "cuda": "BLOCK, BLOCK"}  # as main has it
GEOMETRY = """#include "params.h"
long long numbers[] = {{TILE_M, TILE_N, TILE_K, {group}}};
"""


class Unfit(Exception):
    """Why there is no worker: it was REFUSED, or cannot be built, a FAIL."""

    def __init__(self, verdict: str, reason: str) -> None:
        super().__init__(reason)
        self.verdict, self.reason = verdict, reason


class Overdue(Unfit):
    """All calls together take too long."""


@dataclass(frozen=True)
class Geometry:
    """What is launched for a kernel, as its params.h says."""

    tile: tuple[int, ...]  # M, N, K
    group: tuple[int, ...]  # work-items along a row of C, along a column

    @property
    def around(self) -> str:
        """The tile whose edges the judge looks at."""
        return ",".join(str(size if size <= LARGEST_TILE else 1) for size in self.tile)

    @property
    def words(self) -> list[str]:
        return [str(number) for number in (*self.group, self.tile[0], self.tile[1])]


@dataclass(frozen=True)
class Limits:
    """What a compiler may use. Tests take less."""

    seconds: float = SECONDS
    launch: int = 40  # seconds for a first launch of an OpenCL kernel, for which its driver compiles it
    memory: int = MEMORY
    disk: int = 64 << 20


@dataclass(frozen=True)
class Work:
    """One kernel, the folder where its files are and what is built of them."""

    lab: Lab  # ours, as it is here
    task: Task
    folder: Path  # lab/, what was handed in; built/, what comes of it
    limits: Limits = Limits()
    without: frozenset[str] = field(default_factory=frozenset)  # defences that a test switches off

    @property
    def source(self) -> str:
        return self.lab.programs[0].kernel

    @property
    def preprocessed(self) -> str:
        return {"cpu": "kernel.i", "opencl": "kernel.cl"}.get(self.backend, self.source)

    @property
    def backend(self) -> str:
        return self.lab.backend or ""

    @property
    def built(self) -> Path:
        return self.folder / "built"

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """What the compiler sees."""
        more = {"cuda": (str(TOP / "emulation"), "/emulation"), "opencl": ("/etc/OpenCL", "/etc/OpenCL")}
        every = ((str(self.folder / "lab"), "/lab"), (str(self.built), "/built"), (str(GRADING), "/grading"))
        return (*every, more[self.backend]) if self.backend in more else every


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


def lay_out(work: Work, files: dict[str, bytes]) -> None:
    """lab/ and built/, which those in the sandbox can read."""
    for name in "lab", "built", "loose":
        (work.folder / name).mkdir(parents=True)
    (work.folder / "lab/params.h").write_bytes((work.lab.path / "params.h").read_bytes())
    (work.folder / "lab/geometry.c").write_text(GEOMETRY.format(group=GROUP[work.backend]))
    for name, content in files.items():
        (work.folder / "lab" / name).write_bytes(content)
    for path in (work.folder, work.built, work.folder / "lab", *(work.folder / "lab").iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
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
        cpu=round(work.limits.seconds),
        processes=64,
        without=work.without,
    )
    outcome = run_inside(command, box, PATIENCE * work.limits.seconds)
    if outcome.timed_out or OVERDUE in outcome.err:
        raise Unfit("REFUSED", f"the compiler needs more than {work.limits.seconds:g} s for it")
    if outcome.status != 0:
        raise Unfit("FAIL", f"{what}: {first_error(outcome)}")
    if target is not None:
        target.chmod(0o755)
    return outcome


def first_error(outcome: Outcome) -> str:
    """As far as it is about what was handed in."""
    lines = [plain(line) for line in (outcome.err + outcome.out).splitlines() if line.strip()]
    if any("undefined reference to `gemm'" in line for line in lines):
        return "there is no function gemm in it"
    if any("CL_INVALID_KERNEL_NAME" in line for line in lines):
        return "there is no kernel gemm in it"
    known = r"error:|undefined|multiple definition|exhausted|too large|No space"
    found = [line for line in lines if re.search(known, line)]
    said = found[0] if found else lines[-1] if lines else f"the compiler ends with status {outcome.status}"
    return re.sub(r"(?<![\w.])/(?:[^/\s:'`]+/)+", "", said)[:300]  # folders of ours, of no use to anybody


def geometry(work: Work) -> Geometry:
    """Of params.h: numbers that a compiler finds; nothing of it runs."""
    compile = ["cc", "-std=c11", "-I/lab", "-c", "-o", "/out/geometry.o", "/lab/geometry.c"]
    step(work, compile, "geometry.o", "params.h")
    copy = ["objcopy", "-O", "binary", "-j", ".data", "/built/geometry.o", "/out/geometry"]
    step(work, copy, "geometry", "params.h")
    data = (work.built / "geometry").read_bytes()
    if len(data) != 40:
        raise Unfit("FAIL", "params.h: TILE_M, TILE_N and TILE_K are no plain numbers")
    numbers = struct.unpack("=5q", data)
    if min(numbers) < 1 or max(numbers) >= 1 << 31 or max(numbers[3:]) > 1024:
        raise Unfit("FAIL", f"params.h: tiles of {numbers[:3]}, groups of {numbers[3:]}: that cannot be")
    return Geometry(numbers[:3], numbers[3:])
