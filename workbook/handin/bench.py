# SPDX-License-Identifier: MIT
"""Where one kernel is looked at: its files, as the compiler sees them, and how the compiler is
called."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP
from workbook.core.process import Outcome
from workbook.core.text import plain
from workbook.lab.course import Task
from workbook.lab.labs import Lab

OURS = ("common", "advanced/common", "engine")  # what a kernel includes, or is linked with
SECONDS = 60.0  # for one step of the compiler
MEMORY = 4 << 30  # bytes for it
DISK = 64 << 20  # bytes of a file that it writes
LARGEST_TILE = 512  # of a larger one, or one without end, the judge does not look at the edges
NO_FILE = re.compile(r"(\S+:\d+):\d+: fatal error: (.+): No such file or directory")
OTHER_ARGUMENTS = re.compile(r"gemm has other parameters .*")  # common/ocl.c
# What GNU's two linkers say, and LLVM's and mold.
NO_GEMM = re.compile(r"undefined (?:reference to|symbol:) [`']?gemm\b")
NO_FUNCTION = (
    "there is no function gemm in it that main can call: neither static nor inline, with the "
    "parameters that main gives it"
)
TOO_FAR = re.compile(r"relocation (?:truncated to fit|overflow|\w+ .*out of range)")
LONGEST = 4096  # characters of a compiler's line: a kernel decides what an #error says


class Unfit(Exception):
    """Why there is no worker: it was REFUSED, or cannot be built, a FAIL."""

    def __init__(self, verdict: str, reason: str) -> None:
        super().__init__(reason)
        self.verdict, self.reason = verdict, reason


@dataclass(frozen=True)
class Geometry:
    """What is launched for a kernel, as its params.h says."""

    tile: tuple[int, ...]  # M, N, K
    group: tuple[int, ...]  # work-items along a row of C, along a column

    @property
    def around(self) -> tuple[int, ...]:
        """The tile whose edges the judge looks at."""
        return tuple(size if size <= LARGEST_TILE else 1 for size in self.tile)

    @property
    def words(self) -> list[str]:
        return [str(number) for number in (*self.group, self.tile[0], self.tile[1])]


@dataclass(frozen=True)
class Step:
    """One command, which makes built/RESULT of /out/RESULT."""

    command: list[str]
    result: str
    what: str = "does not build"  # said before what the compiler says


@dataclass(frozen=True)
class Bench(ABC):
    """A kernel in its folder: lab/ has the files handed in, built/ the results. A compiler finds
    them as /lab and /built, next to /common and /engine of the workbook, and writes to /out/NAME
    the file that the next build finds as /built/NAME."""

    lab: Lab  # ours, as it is here
    task: Task
    folder: Path

    @abstractmethod
    def build(self, *steps: Step) -> None:
        """Steps, in order, up to the first that fails: Unfit."""

    @property
    def workbook(self) -> Path:
        """Where a compiler finds ours."""
        return TOP

    def text(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode("latin-1")

    def put(self, name: str, content: str | bytes) -> None:
        """A file in lab/, which all can read."""
        path = self.folder / "lab" / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(0o644)

    @property
    def source(self) -> str:
        return self.lab.programs[0].kernel

    @property
    def backend(self) -> str:
        return self.lab.backend or ""

    @property
    def built(self) -> Path:
        return self.folder / "built"

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Folders, and what they are for a compiler."""
        ours = [(str(self.folder / name), f"/{name}") for name in ("lab", "built")]
        return (*ours, *((str(self.workbook / name), f"/{name}") for name in OURS))


def lay_out(bench: Bench, files: dict[str, bytes]) -> None:
    """Its folders, which all can read."""
    for name in "lab", "built":
        (bench.folder / name).mkdir(parents=True)
    for path in (bench.folder, *bench.folder.iterdir()):
        path.chmod(0o755)
    for name, content in {"params.h": (bench.lab.path / "params.h").read_bytes(), **files}.items():
        bench.put(name, content)


def saying(command: list[str], name: str) -> Step:
    """A file of what a program prints."""
    words = ["sh", "-c", 'said=$1; shift; "$@" >"$said"', "sh", f"/out/{name}", *command]
    return Step(words, name)


def translate(word: str, places: Iterable[tuple[str, str]]) -> str:
    """A word of a command line for a compiler, where it has no sandbox: paths as they are
    outside."""
    flag, path = (word[:2], word[2:]) if word.startswith("-I") else ("", word)
    for there, here in places:
        if path == here or path.startswith(f"{here}/"):
            return flag + there + path[len(here) :]
    return word


def first_error(outcome: Outcome) -> str:
    """As far as it is about what was handed in."""
    said = (outcome.err + outcome.out).splitlines()
    lines = [plain(line[:LONGEST]) for line in said if line.strip()]
    if any(map(NO_GEMM.search, lines)):
        return NO_FUNCTION
    if any("CL_INVALID_KERNEL_NAME" in line for line in lines):
        return "there is no kernel gemm in it"
    if other := next(filter(None, map(OTHER_ARGUMENTS.search, lines)), None):
        return other[0]
    if any(map(TOO_FAR.search, lines)):
        return "its static arrays are larger than the 2 GiB that a kernel may have"
    if missing := next(filter(None, map(NO_FILE.match, lines)), None):
        return not_there(missing[1], missing[2])
    known = r"error:|undefined|multiple definition|Cannot find symbol|exhausted|too large|No space"
    found = [line for line in lines if re.search(known, line)]
    first = (
        found[0]
        if found
        else lines[-1]
        if lines
        else f"the compiler ends with status {outcome.status} and says nothing, as where what it "
        f"makes of a kernel has no room: {DISK >> 20} MiB"
    )
    return of_geometry(without_folders(first))


def unbuilt(step: Step, outcome: Outcome) -> Unfit:
    """A line of params.h that its compiler names begins with that name."""
    said = first_error(outcome)
    return Unfit("FAIL", said if said.startswith(f"{step.what}:") else f"{step.what}: {said}")


def of_geometry(said: str) -> str:
    """About a size of params.h, without the file of ours in which it is asked for (compile.py)."""
    said = re.sub(r"^geometry\.cu?:[\d:]* error: ", "", said)
    no_constant = re.match(r"variably modified \W?size_(\w+?)\W? at file scope", said)
    if no_constant:
        return f"{no_constant[1]} is no constant expression: write its number"
    no_size = re.match(r"size of array \W?size_(\w+?)\W? (?:is negative|has non-integer)", said)
    return f"{no_size[1]} is no whole number from 1 on" if no_size else said


def not_there(file: str, header: str) -> str:
    none = "; OpenCL C needs none for printf, sqrt and their like" if ".cl:" in file else ""
    return (
        f"{without_folders(file)} includes {header}, which is not there{none}: leave it out, or, "
        "if it is a file of your own, which is not handed in, write it into the kernel"
    )


def without_folders(said: str) -> str:
    """Those are ours, and of no use to anybody."""
    return re.sub(r"(?<![\w.])/(?:[^/\s:'`]+/)+", "", said)[:300]
