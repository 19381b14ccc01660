# SPDX-License-Identifier: MIT
"""Builds a program of a lab so that what it accesses is counted, and runs it once.

CPU     callgrind; where steps are recorded, functions of engine/count/ in the kernel
GPUs    engine/, which calls functions of its count/ before each access
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbook import UserError
from workbook.core.clang import missing_clang
from workbook.core.process import Outcome, run
from workbook.core.records import RUN, NoRecord, read
from workbook.core.text import plain
from workbook.lab.labs import Lab, Program, environment
from workbook.lab.limits import limit
from workbook.profile import cache, counts, misses, steps
from workbook.profile.cache import Line
from workbook.profile.counts import Branch, Count
from workbook.profile.misses import L1
from workbook.profile.steps import Steps
from workbook.race.build import build
from workbook.race.tools import EMULATED

LIMIT = 600.0  # seconds
COUNTED_BY = {"cpu": "callgrind", "opencl": "the engine", "cuda": "the engine"}
SIZE = {"cpu": "256", "opencl": "128", "cuda": "256"}


@dataclass(frozen=True)
class Profile:
    lab: Lab
    program: Program
    problem: dict[str, int] = field(default_factory=dict)  # M, N, K
    counts: list[Count] = field(default_factory=list)  # of OpenCL and CUDA
    branches: list[Branch] = field(default_factory=list)  # of these
    launched: list[str] = field(default_factory=list)  # kernels
    lines: list[Line] = field(default_factory=list)  # of C
    warp: int = 32  # lanes
    l1: L1 | None = None  # why it misses, the lines have then
    steps: Steps | None = None  # each access by itself, where these are recorded
    wrong: str = ""  # what the program says of its result, where it is wrong
    skip: str = ""  # why there are no counts
    failure: str = ""  # of the kernel

    @property
    def kernel(self) -> Path:
        return self.lab.path / self.program.kernel


def lanes_of_a_warp(lab: Lab) -> int:
    """As WARP says: AMD's wavefronts have 64. CUDA's warps have 32, and a CPU has none."""
    said = os.environ.get("WARP")
    if said is None:
        return 32
    if lab.backend != "opencl":
        why = "CUDA's warps have 32 lanes" if lab.backend == "cuda" else "a CPU has no warps"
        raise UserError(f"{lab.name}: WARP={said}: {why}; WARP is for OpenCL labs: LAB=07")
    if said not in ("32", "64"):
        raise UserError(f"WARP={said}: choose 32 or 64 lanes")
    return int(said)


def missing(lab: Lab, program: Program, records: bool) -> str:
    """Why it cannot be counted here, or its steps recorded."""
    if program.capability:
        return f"it is for GPUs of compute capability {program.capability} alone, and not emulated"
    if lab.skip and lab.backend != "cuda":
        return lab.skip
    if lab.ranks:
        return "its ranks are several processes, each with a part of the matrices"
    if lab.backend == "opencl":
        return missing_clang()
    if lab.backend == "cpu":
        return missing_of_callbacks() if records else missing_tool("valgrind")
    return ""


def missing_of_callbacks() -> str:
    if sys.platform == "darwin":
        return "the linker of macOS does not wrap gemm(), by which a kernel in C is recorded"
    return missing_tool("g++") or missing_tool("nm", "binutils")


def missing_tool(tool: str, package: str = "") -> str:
    if shutil.which(tool):
        return ""
    return f"{tool} is not installed: apt-get install {package or tool}"


def profile(
    lab: Lab,
    program: Program,
    settings: list[str],
    size: list[str],
    work: Path,
    records: bool = False,
    warp: int = 32,
    by_engine: bool = False,
) -> Profile:
    """Counts it, and records its steps, too. Of OpenCL alone a warp may have 64 lanes; a kernel in
    C is counted by callgrind, or by the engine."""
    by_engine = by_engine or records or lab.backend != "cpu"
    if said := missing(lab, program, by_engine):
        return Profile(lab, program, skip=said)
    added = ["COUNT=1"] if by_engine else []
    if lab.backend in EMULATED:
        added.append(EMULATED[lab.backend])
    folder, problem = build(lab, program, [*settings, *added], work)
    if problem:
        return Profile(lab, program, failure=f"does not build: {problem}")
    command: list[str] = []
    out = work / "counts"
    tells = {"PROFILE": str(out)}
    if records:
        tells["STEPS"] = str(work / "steps")
    if lab.backend == "cpu" and by_engine:
        tells |= {"OBJECTS": steps.objects(folder / program.name), "OMP_NUM_THREADS": "1"}
    elif lab.backend == "cpu":
        command = [*cache.COMMAND.split(), f"--callgrind-out-file={out}.%p"]
    record = work / "record.json"
    words = [*command, f"./{program.name}", *size, "--once", "--json", str(record)]
    outcome = run(words, folder, limit(LIMIT), {**environment(), **tells})
    one = judged(Profile(lab, program, warp=warp), outcome, record, tells, folder)
    if one.lines and not missing_of_callbacks() and (l1 := misses.l1()):
        found = misses.of_program(lab, program, settings, size, work, l1)
        lines = [replace(line, **found.get(line.line, {})) for line in one.lines]
        return replace(one, l1=l1, lines=lines)
    return one


def judged(
    empty: Profile, outcome: Outcome, record: Path, tells: dict[str, str], folder: Path
) -> Profile:
    """What is counted is told of a wrong kernel, too; not of one that did not come to its end."""
    program = empty.program
    try:
        said: dict[str, Any] = read(record, RUN)
    except NoRecord:
        said = {}
    reason = plain(said.get("reason") or "")
    if outcome.status == 77:
        return replace(empty, skip=reason or last_line(outcome))
    if outcome.timed_out:
        return replace(
            empty, failure=f"no end within {outcome.limit:g} s: a smaller SIZE, or LIMIT=1200"
        )
    ended = f"did not come to its end: {why(outcome, program, reason)}"
    if outcome.status not in (0, 1) or said.get("ended"):
        return replace(empty, failure=ended)
    try:
        one = replace(empty, **written(empty.lab, program, tells, folder))
    except (NoRecord, OSError):
        return replace(empty, failure=ended)
    if not one.lines and not one.counts:
        return replace(empty, failure=f"{program.kernel} asks for no memory: is it empty still?")
    finding = said.get("finding")
    wrong = (finding["cause"] or "no cause can be named: see make check") if finding else ""
    return replace(one, problem=shape_of(said), wrong=wrong)


def written(lab: Lab, program: Program, tells: dict[str, str], folder: Path) -> dict[str, Any]:
    """What the counting tool wrote, as fields of a profile."""
    out, built, kernel = Path(tells["PROFILE"]), folder / program.name, folder / program.kernel
    if lab.backend == "cpu" and "OBJECTS" not in tells:
        files = out.parent.glob(f"{out.name}.*")
        return {"lines": cache.of_files(files, built, program.kernel)}
    found = {
        "counts": counts.of_file(out, built, kernel),
        "branches": counts.branches_of(out, built, kernel),
        "launched": counts.kernels_of(out),
    }
    if "STEPS" in tells:
        found["steps"] = steps.of_file(Path(tells["STEPS"]), built, kernel)
    return found


def shape_of(record: dict[str, Any]) -> dict[str, int]:
    shape = (record.get("shapes") or [{}])[-1] or record.get("at") or {}
    return {name: shape.get(name, 0) for name in "MNK"}


def why(outcome: Outcome, program: Program, reason: str) -> str:
    """A line that names one of the kernel's, if there is one."""
    lines = [line for line in outcome.err.splitlines() if f"{program.kernel}:" in line]
    return plain(lines[0]) if lines else f"{reason or last_line(outcome)}; see make check"


def last_line(outcome: Outcome) -> str:
    lines = [line for line in (outcome.out + outcome.err).splitlines() if line.strip()]
    return plain(lines[-1]) if lines else f"status {outcome.status}"


def size_for(lab: Lab) -> list[str]:
    """What SIZE says; counts of something small are as good as those of something large."""
    return (os.environ.get("SIZE") or SIZE[lab.backend or "cpu"]).split()
