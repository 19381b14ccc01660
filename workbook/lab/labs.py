# SPDX-License-Identifier: MIT
"""What a lab says of itself, and how make is asked to do something in it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from workbook import TOP, UserError
from workbook.core.process import Outcome, run
from workbook.core.text import plain
from workbook.core.typed import number_of
from workbook.lab.describe import Description
from workbook.lab.whole import no_kernel

BUILD_LIMIT, DESCRIBE_LIMIT = 300, 60  # seconds
ADVANCED = "advanced"  # the folder of the advanced labs
IN_PROGRAM = ("common", "session", "guest", "diagnosis")  # the C that a program is made of
BASELINE = "baseline"  # of libraries, which are built and run as labs are
OF_TOP = {*"ADVANCED BESIDE LAB LABS OUT SUBMISSIONS JOBS LAUNCHER SEED ROOM NAME VARIANTS".split()}


@dataclass(frozen=True)
class Program:
    name: str  # gemm, or gemm_VARIANT
    variant: str
    step: int | None  # its place among the steps that lead to the lab's kernel, from 1 on
    sweep: tuple[str, ...]  # what make sweep tries: GROUP_X=8,GROUP_Y=8
    kernel: str  # its file
    tile: (
        tuple[int, ...] | None
    )  # M, N, K of what is computed at a time; None: params.h does not say
    settings: tuple[str, ...]  # the tunables that are not the defaults: GROUP_X=1
    tune: tuple[
        str, ...
    ] = ()  # what make tune searches: GROUP_X=8,16; none: it finds that out itself
    skip: str | None = None  # why it cannot be built here: the lab, or it alone
    capability: str | None = None  # of the only GPUs that it runs on, never emulated
    experiment: bool = False  # it repeats one of a source, and is no part of the ladder


@dataclass(frozen=True)
class Range:
    """What params.h allows of a tunable, as far as it says so."""

    name: str
    least: int | None
    most: int | None
    multiple_of: int | None


@dataclass(frozen=True)
class Lab:
    path: Path
    name: str
    backend: str | None  # cpu, opencl or cuda; None: there is no kernel
    emulated: bool
    skip: str | None  # why it cannot be built here
    type: str
    size: str  # of make run
    programs: tuple[Program, ...]
    tunables: frozenset[str]
    defaults: tuple[tuple[str, str], ...]  # of the tunables, in the order of params.h
    files: tuple[str, ...]  # what its programs are made of, beside their kernels
    stages: tuple[
        str, ...
    ] = ()  # the steps that a student takes before the lab's kernel, there or not
    commands: tuple[tuple[str, str], ...] = ()  # of each file, how an editor is to read it
    unfinished: str | None = None  # why its kernel is a student's that is not done yet
    ranges: tuple[Range, ...] = ()  # of the tunables, in the order of params.h
    tuned: bool = False  # it is built with what make tune found
    threads: bool = False  # it has some, by OpenMP
    ranks: bool = False  # its programs are several processes, by MPI
    race: tuple[str, ...] = ()  # settings under which make race looks at it, too
    page: tuple[str, ...] = ()  # settings with which make page records it
    beside: tuple[str, ...] = ()  # with which of its programs, or settings, its page compares it
    other: tuple[str, ...] = ()  # settings with which make check verifies its kernel, too
    pays: tuple[
        tuple[str, str, float], ...
    ] = ()  # steps, at which size, so many times as fast as before
    before: str | None = None  # the lab that it leads on from, where the numbers do not say
    base: str | None = None  # the lab whose kernel its first step begins from, if not that one

    @property
    def digest(self) -> str:
        """Of what a student writes: the lab's own kernel and its tunables."""
        texts = [
            path.read_bytes()
            for path in (self.path / self.programs[0].kernel, self.path / "params.h")
            if path.is_file()
        ]
        return sha256(b"\0".join(texts)).hexdigest()

    @property
    def number(self) -> str:
        return number_of(self.name)

    @property
    def place(self) -> Path:
        """Where it is in the workbook: its Makefile finds make/ from there."""
        return Path(ADVANCED, self.name) if self.path.parent.name == ADVANCED else Path(self.name)

    @property
    def is_library(self) -> bool:
        return self.path.parent == TOP / BASELINE

    @property
    def climb(self) -> list[Program]:
        """The programs as they are shown: steps, the lab's own, variants; no experiments."""
        shown = (program for program in self.programs if not program.experiment)
        return sorted(shown, key=lambda program: program.step or (99 if program.variant else 98))


def given() -> list[str]:
    """The settings NAME=VALUE on the command line of the make that called us. Its flags stay
    behind: -w prints, -i forgives, and for -j there would be no tokens. So does what only the top's
    Makefile knows."""
    words = re.findall(
        r"(?:\\.|[^\s\\])+", f" {os.environ.get('MAKEFLAGS', '')}".partition(" -- ")[2]
    )
    settings = [re.sub(r"\\(.)", r"\1", word) for word in words]
    return [setting for setting in settings if setting.partition("=")[0] not in OF_TOP]


def variant(settings: list[str]) -> str:
    """What VARIANT says, if anything."""
    said = [setting.partition("=")[2] for setting in settings if setting.startswith("VARIANT=")]
    return said[-1] if said else ""


def chosen(lab: Lab, settings: list[str]) -> Program:
    """The program that VARIANT names, or ./gemm; make describe refuses what is not there."""
    return next(program for program in lab.programs if program.variant == variant(settings))


def of_others(settings: list[str], lab: Lab) -> list[str]:
    """Without those that belong to this lab alone."""
    return [s for s in settings if s.partition("=")[0] not in lab.tunables | {"VARIANT"}]


def without_variant(settings: list[str]) -> list[str]:
    """For a tool that runs all of them."""
    return [setting for setting in settings if not setting.startswith("VARIANT=")]


def environment() -> dict[str, str]:
    makes = ("MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
    return {name: value for name, value in os.environ.items() if name not in makes}


def make(folder: Path, words: list[str], limit: float) -> Outcome:
    command = ["make", "-s", "--no-print-directory", "-C", str(folder), *words]
    return run(command, folder, limit, environment())


def describe(folder: str, settings: list[str]) -> Lab:
    path = Path(folder).resolve()
    if not path.is_dir():
        raise UserError(f"no lab {folder} here: ls -d lab*")
    if not (path / "Makefile").is_file():
        raise UserError(f"{folder} is no lab: there is no Makefile in it")
    outcome = make(path, ["said_by_make", *settings], DESCRIBE_LIMIT)
    if outcome.status != 0:
        stopped = re.search(r"\*\*\* (.*?)\.?\s+Stop\.", outcome.err)
        said = stopped[1] if stopped else outcome.err.strip().rpartition("\n")[2]
        raise UserError(f"{path.name}: {plain(said) or 'make describe fails'}")
    try:
        says = Description(path, outcome.out).record()
    except KeyError as word:
        raise UserError(f"{path.name}: its Makefile, and make/lab.mk, say no {word}") from word
    return Lab(
        path=path,
        name=path.name,
        backend=says["backend"],
        emulated=says["emulated"],
        skip=says["skip"],
        type=says["type"],
        size=says["size"],
        threads=says["threads"],
        ranks=says["ranks"],
        programs=tuple(program(p) for p in says["programs"]),
        tunables=frozenset(tunable["name"] for tunable in says["tunables"]),
        defaults=tuple((tunable["name"], tunable["default"]) for tunable in says["tunables"]),
        files=tuple(says["files"]),
        stages=tuple(says["stages"]),
        commands=tuple((one["file"], one["command"]) for one in says["commands"]),
        unfinished=says["unfinished"],
        ranges=tuple(
            Range(*(tunable[key] for key in ("name", "least", "most", "multiple_of")))
            for tunable in says["tunables"]
        ),
        tuned=says["tuned"],
        race=tuple(says["race"]),
        page=tuple(says["page"]),
        beside=tuple(says["beside"]),
        other=tuple(says["other"]),
        pays=tuple(
            (step, size, float(times))
            for step, size, times in (one.split(":") for one in says["pays"])
        ),
        before=says["before"],
        base=says["base"],
    )


def program(says: dict[str, Any]) -> Program:
    as_is: dict[str, Any] = {
        key: says[key] for key in ("name", "variant", "step", "experiment", "skip", "capability")
    }
    lists: dict[str, Any] = {key: tuple(says[key]) for key in ("sweep", "settings", "tune")}
    return Program(
        kernel=says["kernel"] or "", tile=says["tile"] and tuple(says["tile"]), **as_is, **lists
    )


def copy_to(lab: Lab, folder: Path) -> Lab:
    """To its place in a folder, without what was built. The links to what labs include there are
    enough: make/.. leads to the workbook."""
    path = folder / lab.place
    shutil.copytree(lab.path, path, ignore=shutil.ignore_patterns("build", "gemm", "gemm_*"))
    (folder / ADVANCED).mkdir(exist_ok=True)
    for place in "make", f"{ADVANCED}/common":
        if not (folder / place).exists():
            (folder / place).symlink_to(TOP / place)
    return replace(lab, path=path)


def ladder() -> list[Path]:
    return labs_in(TOP)


def every() -> list[Path]:
    """The ladder, and the advanced labs."""
    return ladder() + labs_in(TOP / ADVANCED)


def labs_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("lab[0-9]*") if path.is_dir())


def before(lab: Lab) -> Path | None:
    """The lab that it leads on from."""
    if lab.before is not None:
        return named(lab.before)
    others = ladder()
    at = others.index(lab.path) if lab.path in others else 0
    return others[at - 1] if at > 0 else None


def base(lab: Lab) -> Path | None:
    """The lab whose kernel its first step begins from: if that is not here, the one before."""
    return (named(lab.base) if lab.base is not None else None) or before(lab)


def named(name: str) -> Path | None:
    return next((path for path in every() if path.name == name), None)


def build(lab: Lab, targets: list[str], settings: list[str], anew: bool = True) -> str | None:
    """Builds; None, or what went wrong. Anew: a lab's own files are built whatever their age, as a
    submission may be older than what was graded before it."""
    if lab.backend is None:
        return no_kernel(lab.path)
    files = [path.name for path in sorted(lab.path.glob("kernel*")) if path.is_file()] + [
        "params.h"
    ]
    newer = [word for name in files if anew for word in ("-W", name)]
    outcome = make(
        lab.path, ["-k", f"-j{os.cpu_count() or 1}", *newer, *targets, *settings], BUILD_LIMIT
    )
    if outcome.timed_out:
        return f"the compiler needs more than {BUILD_LIMIT} s"
    if outcome.status == 0:
        return None
    lines = (outcome.err + outcome.out).splitlines()
    known = r"error:|undefined|multiple definition|duplicate symbol|No rule|Error|\*\*\*"
    first = [line for line in lines if re.search(known, line)]
    hint = (
        " (if this is CUDA, it needs nvcc)"
        if any(s.endswith("it needs nvcc") for s in lines)
        else ""
    )
    return plain(first[0] if first else f"make ends with status {outcome.status}") + hint
