# SPDX-License-Identifier: MIT
"""Where one kernel is looked at: its files, as the compiler sees them, and how the compiler is
called."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
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
# An intrinsic with a number in its name's place is a macro for who does not optimise, which every
# build can compile; a kernel's own question whether it is optimised has the answer that it has in
# its lab.
INTRINSICS = """#pragma push_macro("__OPTIMIZE__")
#undef __OPTIMIZE__
#include_next <{name}>
#pragma pop_macro("__OPTIMIZE__")
"""
NO_FILE = re.compile(r"(\S+:\d+):\d+: fatal error: (.+): No such file or directory")
OTHER_ARGUMENTS = re.compile(r"gemm has other parameters .*")  # common/opencl/ocl.c
# What GNU's two linkers say, and LLVM's and mold.
NO_GEMM = re.compile(r"undefined (?:reference to|symbol:) [`']?gemm\b")
TOO_FAR = re.compile(r"relocation (?:truncated to fit|overflow|\w+ .*out of range)")
LONGEST = 4096  # characters of a compiler's line: a kernel decides what an #error says
OF_INTRINSICS = ("immintrin.h", "x86intrin.h") + tuple(f"{c}mmintrin.h" for c in "xepsntw")


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
    def around(self) -> str:
        """The tile whose edges the judge looks at."""
        return ",".join(str(size if size <= LARGEST_TILE else 1) for size in self.tile)

    @property
    def words(self) -> list[str]:
        return [str(number) for number in (*self.group, self.tile[0], self.tile[1])]


@dataclass(frozen=True)
class Step:
    """One command, which makes built/RESULT of /out/RESULT."""

    command: list[str]
    result: str
    what: str = "does not build"  # said before what the compiler says
    judge: Callable[[], object] = lambda: None  # of the result: raises Unfit


@dataclass(frozen=True)
class Bench(ABC):
    """A kernel in its folder: lab/, what was handed in; built/, what comes of it; system/, headers.
    For a compiler these are /lab, /built and /system, beside /common and /engine of the
    workbook, and it writes to /out/NAME what the next build finds as /built/NAME."""

    lab: Lab  # ours, as it is here
    task: Task
    folder: Path

    @abstractmethod
    def build(self, *steps: Step) -> None:
        """Steps, in order. Unfit by the first that does not end well, or whose judge says so: the
        same if all are taken first and judged then."""

    @property
    def workbook(self) -> Path:
        """Where a compiler finds ours."""
        return TOP

    def text(self, name: str) -> str:
        """Of a file in lab/ or built/, with these paths in it."""
        text = (self.folder / name).read_bytes().decode("latin-1")
        for there, here in self.places:
            for form in {*in_marker(there)}:
                text = text.replace(f"{form}/", f"{here}/")
        return text

    def holds(self, defence: str) -> bool:
        """False: a test switches it off."""
        return True

    @property
    def source(self) -> str:
        return self.lab.programs[0].kernel

    @property
    def preprocessed(self) -> str:
        return self.source if self.backend == "cuda" else preprocessed(self.source)

    @property
    def backend(self) -> str:
        return self.lab.backend or ""

    @property
    def built(self) -> Path:
        return self.folder / "built"

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Folders, and what they are for a compiler."""
        ours = [(str(self.folder / name), f"/{name}") for name in ("lab", "built", "system")]
        return (*ours, *((str(self.workbook / name), f"/{name}") for name in OURS))


def in_marker(path: str) -> tuple[str, ...]:
    """As preprocessors have it between quotes: its bytes, those beyond ASCII as they are, or as
    octal numbers."""
    raw = re.sub(r'["\\]', r"\\\g<0>", os.fsencode(path).decode("latin-1"))
    return raw, re.sub("[^ -~]", lambda letter: f"\\{ord(letter[0]):03o}", raw)


def preprocessed(source: str) -> str:
    """OpenCL C is still that."""
    return source if source.endswith(".cl") else f"{Path(source).stem}.i"


def lay_out(bench: Bench, files: dict[str, bytes]) -> None:
    """Its folders, which all can read."""
    for name in "lab", "built", "system":
        (bench.folder / name).mkdir(parents=True)
    (bench.folder / "lab/params.h").write_bytes((bench.lab.path / "params.h").read_bytes())
    for name, content in files.items():
        (bench.folder / "lab" / name).write_bytes(content)
    for name in OF_INTRINSICS:
        (bench.folder / "system" / name).write_text(INTRINSICS.format(name=name))
    for path in (bench.folder, *bench.folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def saying(command: list[str], name: str, judge: Callable[[], object] = lambda: None) -> Step:
    """What a program says. By a file that is kept as a result is: there may be no room for it
    elsewhere, and half of a list of symbols would look harmless."""
    words = ["sh", "-c", 'said=$1; shift; "$@" >"$said"', "sh", f"/out/{name}", *command]
    return Step(words, name, judge=judge)


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
        return "there is no function gemm in it"
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
    return of_geometry(without_columns(without_folders(first)))


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


def without_columns(said: str) -> str:
    """Those of OpenCL C depend on what the preprocessor has put in the place of a macro."""
    return re.sub(r"(\.cl:\d+):\d+:", r"\1:", said)


def without_folders(said: str) -> str:
    """Those are ours, and of no use to anybody."""
    return re.sub(r"(?<![\w.])/(?:[^/\s:'`]+/)+", "", said)[:300]
