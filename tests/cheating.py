# SPDX-License-Identifier: MIT
"""Kernels that cheat or do harm, in tests/cheats, and honest ones that look odd, in tests/honest.
The comment at the top of each says

    tries, what   what it does
    ends          the verdict, and a word of the reason
    past          defences that are switched off for this
    robust        words of what the tools say of it
    counters      limits of its course, with points
    counted       words of what is said of these; without it they are what it is worth
    off           the defence without which it succeeds, which shows that this one is needed
    lab, threads  for which lab, if not the first of its language, with so many threads
    tools, speed  it takes the checking tools, or being timed
    size          of what is timed
    seconds       for the compiler; launch, for a first launch; call, of the processor for a call
    disk          MiB that the compiler may write
    class         how it ends with the limits of a class, where these are shorter: FAIL or REFUSED,
                  whichever of them comes first
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.support import TOP
from workbook.lab import labs
from workbook.lab.course import Task
from workbook.lab.labs import Lab
from workbook.lab.stages import kernel_name
from workbook.teacher.grade.class_setup import Terms, beginnings, reference_worker
from workbook.teacher.grade.compiling.builder import Limits
from workbook.teacher.grade.grade_lab import Case
from workbook.teacher.grade.intake.accepted import Handed, Submission

FOLDERS = (TOP / "tests/cheats", TOP / "tests/honest")
FIRST = {".c": "lab01_cpu_naive", ".cl": "lab04_ocl_naive", ".cu": "lab08_cuda_naive"}
SEED = "5eed" * 16
LIMITS = Limits(seconds=20, launch=8, memory=1 << 30)
CALL = 1.5  # seconds


@dataclass(frozen=True)
class Kernel:
    path: Path
    says: dict[str, str]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def lab(self) -> str:
        return self.says.get("lab", FIRST[self.path.suffix])

    @property
    def past(self) -> frozenset[str]:
        return frozenset(self.says.get("past", "").split())


def read(path: Path) -> Kernel:
    head = re.findall(r"^// (\w+): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return Kernel(path, dict(head))


def kernels(folder: str) -> list[Kernel]:
    return [read(path) for path in sorted((TOP / "tests" / folder).iterdir())]


@cache
def described(name: str) -> Lab:
    return labs.describe(str(TOP / name), [])


OURS = re.compile(r'^ *# *include "((?:guest|session|diagnosis)/[\w.]+)"$', re.MULTILINE)


def written_out(text: str, seen: set[str]) -> str:
    """With the headers of ours, which no compiler of a kernel finds."""

    def header(match: re.Match[str]) -> str:
        if match[1] in seen:
            return ""
        seen.add(match[1])
        text = (TOP / match[1]).read_text(encoding="utf-8")
        return written_out(re.sub("//.*", "", text), seen)

    return OURS.sub(header, text)


def limits(kernel: Kernel) -> Limits:
    seconds, launch = (
        kernel.says.get("seconds", LIMITS.seconds),
        kernel.says.get("launch", LIMITS.launch),
    )
    disk = int(kernel.says["disk"]) << 20 if "disk" in kernel.says else LIMITS.disk
    return replace(LIMITS, seconds=float(seconds), launch=int(launch), disk=disk)


def terms(kernel: Kernel, without: frozenset[str]) -> Terms:
    lab = described(kernel.lab)
    former = labs.before(lab)
    counters = kernel.says.get("counters", "")
    threads = int(kernel.says.get("threads", "1"))
    task = Task(8, 2, None, 0, threads, "", 3 if counters else 0, counters)
    return Terms(
        lab=lab,
        task=task,
        seed=SEED,
        size=int(kernel.says.get("size", "48")),
        rounds=3,
        starts=beginnings(lab, described(former.name) if former else None),
        former=former.name if former else "",
        limits=limits(kernel),
        seconds=float(kernel.says.get("call", CALL)),
        without=without,
    )


def grade(
    kernel: Kernel, folder: Path, without: frozenset[str] = frozenset(), **places: object
) -> tuple[dict[str, Any], Case]:
    """Its record, where these defences are switched off. Places in its text are filled in: VICTIM=a
    file, PORT=where somebody listens."""
    text = written_out(kernel.path.read_text(encoding="utf-8"), set())
    for name, value in {"TOP": TOP, **places}.items():
        text = text.replace(f"THE_{name}", str(value))
    skipped = frozenset() if "tools" in kernel.says else frozenset({"tools"})
    holds = terms(kernel, without | skipped)
    file = kernel_name(holds.lab)
    submission = Submission(kernel.name, kernel.name, {kernel.lab: Handed({file: text.encode()})})
    case = Case(submission, holds, folder / "work")
    if "speed" in kernel.says:
        holds.reference = reference_worker(holds.lab, holds.task, folder / "reference")
        holds.range = 10.0
    case.examine()
    while not case.over:
        case.time()
    return case.record(), case
