# SPDX-License-Identifier: MIT
"""From what was handed in to a worker, inside a sandbox, with the flags that the lab itself is built with."""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import struct
from dataclasses import dataclass, field
from pathlib import Path

from workbook import TOP, Mistake, labs
from workbook.course import Task
from workbook.grade.objects import complaint
from workbook.grade.sandbox import GRADING, Box, own, run_inside
from workbook.grade.source import complaint_of_code, complaint_of_text
from workbook.labs import Lab
from workbook.process import Outcome
from workbook.text import plain

SECONDS = 60.0  # for one step of the compiler
MEMORY = 4 << 30  # bytes for it
LARGEST_TILE = 4096  # a larger one has no end: a work-item takes a whole row
GROUP = {"cpu": "1, 1", "opencl": "GROUP_X, GROUP_Y", "cuda": "BLOCK, BLOCK"}  # as main has it
EMULATION = ("cuda", "base", "block", "fiber", "launch", "multiprocessor", "runtime", "warp")
GEOMETRY = """#include "params.h"
long long numbers[] = {{TILE_M, TILE_N, TILE_K, {group}}};
"""


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
class Limits:
    """What a compiler may use. Tests take less."""

    seconds: float = SECONDS
    memory: int = MEMORY
    disk: int = 64 << 20


@dataclass(frozen=True)
class Work:
    """One kernel, the folder where its files are and what is built of them."""

    lab: Lab  # ours, as it is here
    task: Task
    folder: Path  # lab/, what was handed in; out/, what is built
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
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """What the compiler sees."""
        more = {"cuda": (str(TOP / "emulation"), "/emulation"), "opencl": ("/etc/OpenCL", "/etc/OpenCL")}
        every = ((str(self.folder / "lab"), "/lab"), (str(GRADING), "/grading"))
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
    """lab/, which those in the sandbox can read, and out/, which they can write to."""
    for name in "lab", "out":
        (work.folder / name).mkdir(parents=True)
    (work.folder / "lab/params.h").write_bytes((work.lab.path / "params.h").read_bytes())
    (work.folder / "lab/geometry.c").write_text(GEOMETRY.format(group=GROUP[work.backend]))
    for name, content in files.items():
        (work.folder / "lab" / name).write_bytes(content)
    for path in (work.folder, work.folder / "lab", *(work.folder / "lab").iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    own(work.out)


def step(work: Work, command: list[str], what: str = "does not build") -> Outcome:
    """One of the compiler's. If it does not end well, there is no worker."""
    box = Box(
        "compiler",
        work.files,
        out=work.out,
        system=True,
        environment=("PYTHON=/usr/bin/python3", "POCL_CACHE_DIR=/tmp"),
        memory=work.limits.memory,
        disk=work.limits.disk,
        processes=64,
        without=work.without,
    )
    outcome = run_inside(command, box, work.limits.seconds)
    if outcome.timed_out and work.backend == "opencl":
        raise Unfit("FAIL", f"its compiler and a first launch need more than {work.limits.seconds:g} s")
    if outcome.timed_out:
        raise Unfit("REFUSED", f"the compiler needs more than {work.limits.seconds:g} s for it")
    if outcome.status != 0:
        raise Unfit("FAIL", f"{what}: {first_error(outcome)}")
    return outcome


def first_error(outcome: Outcome) -> str:
    lines = [plain(line) for line in (outcome.err + outcome.out).splitlines() if line.strip()]
    found = [
        line for line in lines if re.search(r"error:|undefined|multiple definition|exhausted|too large", line)
    ]
    said = found[0] if found else lines[-1] if lines else f"the compiler ends with status {outcome.status}"
    return said.replace("/lab/", "").replace("/out/", "")[:300]


def geometry(work: Work) -> Geometry:
    """Of params.h: numbers that a compiler finds; nothing of it runs."""
    step(work, ["cc", "-std=c11", "-I/lab", "-c", "-o", "/out/geometry.o", "/lab/geometry.c"], "params.h")
    copy = ["objcopy", "-O", "binary", "-j", ".data", "/out/geometry.o", "/out/geometry"]
    step(work, copy, "params.h")
    data = (work.out / "geometry").read_bytes()
    if len(data) != 40:
        raise Unfit("FAIL", "params.h: TILE_M, TILE_N and TILE_K are no plain numbers")
    numbers = struct.unpack("=5q", data)
    if min(numbers) < 1 or max(numbers) >= 1 << 31 or max(numbers[3:]) > 1024:
        raise Unfit("FAIL", f"params.h: tiles of {numbers[:3]}, groups of {numbers[3:]}: that cannot be")
    return Geometry(numbers[:3], numbers[3:])


# ---- what is not taken -----------------------------------------------------------------------------
def check_source(work: Work) -> None:
    """By its text; and of a kernel in C, by what the preprocessor makes of it. OpenCL C and CUDA C have
    nothing by which a source could change its flags."""
    if "source" in work.without:
        return
    for name in (work.source, "params.h"):
        text = (work.folder / "lab" / name).read_bytes().decode("latin-1")
        if said := complaint_of_text(name, text):
            raise Unfit("REFUSED", said)
    if work.backend == "cpu":
        preprocessed = (work.out / work.preprocessed).read_bytes().decode("latin-1")
        if said := complaint_of_code(preprocessed, frozenset({f"/lab/{work.source}", "/lab/params.h"})):
            raise Unfit("REFUSED", said)


def check_object(work: Work) -> None:
    if "symbols" in work.without:
        return
    symbols = step(work, ["nm", "-P", "-u", "/out/kernel.o"]).out
    sections = step(work, ["objdump", "-h", "/out/kernel.o"]).out
    if said := complaint(symbols, sections, work.task.threads > 1, work.backend == "cuda"):
        raise Unfit("REFUSED", said)


# ---- compiling -------------------------------------------------------------------------------------
def preprocess(work: Work) -> None:
    """Once: no build can be of another text than the others, as one for a tool is compiled with other flags.
    CUDA has headers of its own for each compiler."""
    name, target = f"/lab/{work.source}", f"/out/{work.preprocessed}"
    if work.backend == "cpu":
        step(work, [*compiler(work), "-E", "-o", target, name])
    elif work.backend == "opencl":  # whose drivers differ in what they define
        version = ["-D__OPENCL_VERSION__=120", "-D__OPENCL_C_VERSION__=120"]
        step(work, ["cc", "-E", "-undef", "-x", "c", "-Dreal=float", *version, "-I/lab", "-o", target, name])


def compiler(work: Work) -> list[str]:
    """cc with the flags of the lab's kernel, as make describe says them, less warnings and paths."""
    words = shlex.split(dict(work.lab.commands)[work.source])[1:]
    flags = [word for word in words if not re.match(r"-W|-I|-c$|[^-]", word)]
    return ["cc", *flags, "-I/lab", *(["-fopenmp"] if work.task.threads > 1 else [])]


def compile_kernel(work: Work, *more: str) -> None:
    """kernel.o. What it defines beside gemm is nobody else's: not the worker's, nor a tool's."""
    if work.backend == "cuda":
        command = [
            "sh",
            "/emulation/compile",
            "g++",
            "-std=c++17",
            "-O2",
            "-g",
            "-Dreal=float",
            "-I/lab",
            *more,
        ]
        step(work, [*command, "-c", "-o", "/out/kernel.o", f"/lab/{work.source}"])
    else:
        step(work, [*compiler(work), *more, "-c", "-o", "/out/kernel.o", f"/out/{work.preprocessed}"])
        step(work, ["objcopy", "--keep-global-symbol=gemm", "/out/kernel.o"])


def link(work: Work, name: str, ours: str, *more: str) -> None:
    """A program of serve.o, of `ours`, the rest of our part, and of kernel.o."""
    parts = EMULATION if ours == "cuda" else (ours,)
    objects = [f"/grading/{part}.o" for part in ("serve", *parts)]
    linker = ["g++", "-pthread"] if ours == "cuda" else ["cc"]
    if work.task.threads > 1 and ours != "cuda":
        linker.append("-fopenmp")
    step(work, [*linker, *more, "-o", f"/out/{name}", *objects, "/out/kernel.o", "-lm"])


def compile_for_gpu(work: Work, architecture: str) -> None:
    """kernel.cubin: the device code of a CUDA kernel, without whatever there is for the host."""
    nvcc = ["/usr/local/cuda/bin/nvcc", "-cubin", f"-arch={architecture}", "-O3", "-lineinfo"]
    step(work, [*nvcc, "-Dreal=float", "-I/lab", "-o", "/out/kernel.cubin", f"/lab/{work.source}"])


def compile_opencl(work: Work, shape: Geometry) -> None:
    """kernel.bin, which the driver makes of the source for this size of work-groups."""
    step(work, ["/grading/opencl", "compile", *shape.words, "/out/kernel.bin", f"/out/{work.preprocessed}"])
