# SPDX-License-Identifier: MIT
"""OUT/log: versions, seed and settings of a class. A run that goes on takes over what a former one
wrote there."""

from __future__ import annotations

import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbook import TOP, UserError
from workbook.core.clang import clang
from workbook.core.process import run
from workbook.core.records import NoRecord, now, read, write
from workbook.lab import labs
from workbook.lab.course import read_whole_course
from workbook.teacher.grade.class_setup import Terms, terms_of, why_untimed
from workbook.teacher.grade.compiling.builder import Work
from workbook.teacher.grade.judge.robust import required
from workbook.teacher.grade.judge.workers import find
from workbook.teacher.grade.scale import digest, scale

LOG = "gemm-grading/1"
ROUNDS = 7


@dataclass(frozen=True)
class Settings:
    submissions: Path
    out: Path
    size: int
    jobs: int
    seed: str
    seed_given: bool = False
    slurm: bool = False
    jobs_given: bool = False
    part: tuple[int, int] | None = None  # of an array of jobs
    rounds: int = ROUNDS


def open_log(settings: Settings, names: list[str]) -> tuple[list[Terms], dict[str, Any]]:
    """OUT/log: versions, seed, settings, and how far the reference is from the lab before. A run
    that goes on takes over what a former one wrote there."""
    path = settings.out / "log"
    log = read_log(path, settings)
    course = read_whole_course()
    names = [
        name for name in course if name in names or name in log["labs"]
    ]  # those of former runs, too
    terms = [terms_of(labs.describe(str(TOP / name), []), course[name], log) for name in names]
    for one in terms:
        required(Work(one.lab, one.task, settings.out))
    if settings.part is None:
        seen = versions()
        if [one for one in terms if renewed(one, scale(one, course, seen), log)]:
            log["versions"] = seen
            write_log(path, log)
    for one in terms:  # a job takes those of who submitted it: all nodes grade on one scale
        one.scale = digest(log["labs"][one.lab.name]["terms"])
        one.no_speed = why_untimed(one, log)
    return terms, log


def renewed(one: Terms, parts: dict[str, str], log: dict[str, Any]) -> bool:
    """On another scale than before, or new: how far the reference is ahead is to be measured
    again."""
    entry = log["labs"].get(one.lab.name)
    former = entry.get("terms", {}) if entry else {}
    if former == parts:
        return False
    one.changed = (
        ", ".join(name for name in parts if parts[name] != former.get(name)) if entry else ""
    )
    new = {"range": None, "former_ms": None, "why": "", "task": vars(one.task), "terms": parts}
    log["labs"][one.lab.name] = new
    return True


def write_log(path: Path, log: dict[str, Any]) -> None:
    """Who has its seed knows what is asked: its owner alone reads it."""
    write(path, log)
    path.chmod(0o600)


def read_log(path: Path, settings: Settings) -> dict[str, Any]:
    if not path.exists():
        return {
            "schema": LOG,
            **now(),
            "seed": settings.seed,
            "size": settings.size,
            "rounds": settings.rounds,
            "versions": versions(),
            "labs": {},
        }
    try:
        log = read(path, {"schema": LOG, "seed": str, "size": int, "rounds": int, "labs": dict})
    except NoRecord as error:
        raise UserError(
            f"{path}: {error}: it has the seed of what is graded here: choose another OUT"
        ) from error
    if settings.seed_given and log["seed"] != settings.seed:
        raise UserError(f"{path}: what is here was graded with another SEED: choose another OUT")
    if log["size"] != settings.size:
        raise UserError(
            f"{path}: what is here was graded with SIZE={log['size']}: choose another OUT, or that "
            "size"
        )
    return log


def drivers() -> list[str]:
    """Of OpenCL: each by the file that it is, whose name has its version."""
    found = []
    for vendor in sorted(Path("/etc/OpenCL/vendors").glob("*.icd")):
        name = vendor.read_text(encoding="utf-8", errors="replace").strip()
        with suppress(UserError):
            name = Path(find(name)).resolve().name
        found.append(name)
    return found


def versions() -> dict[str, str]:
    def first(*command: str, line: int = 0) -> str:
        lines = [said for said in run(list(command), TOP, 20).out.splitlines() if said.strip()]
        return lines[line] if lines else ""

    return {
        "system": platform.platform(),
        "processor": next(
            (
                line.partition(": ")[2]
                for line in Path("/proc/cpuinfo").read_text().splitlines()
                if "model name" in line
            ),
            platform.machine(),
        ),
        "compiler": first("cc", "--version"),
        "bubblewrap": first("bwrap", "--version"),
        "valgrind": first("valgrind", "--version"),
        "clang": first(clang() or "clang", "--version"),
        "python": platform.python_version(),
        "opencl": ", ".join(drivers()),
        "nvcc": first("/usr/local/cuda/bin/nvcc", "--version", line=-1),
        "gpu": first("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
    }
