# SPDX-License-Identifier: MIT
"""The worker of each backend: what is built, and in which sandbox it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.process import run
from workbook.handin.bench import Geometry
from workbook.handin.take import take
from workbook.lab.labs import Lab
from workbook.teacher.grade.compiling.builder import GRADING, Work, open_bench
from workbook.teacher.grade.compiling.compile import compile_for_gpu, compile_opencl, linking
from workbook.teacher.grade.compiling.sandbox import Box, grading

# Bytes of addresses. A worker that can tell what of it is not its kernel's leaves that 2 GiB:
# begin_memory() of room.c.
MEMORY = 8 << 30
# MiB that it may use, as it could lift that limit; and half as much again for a tool.
MOST = 3 << 10
NVIDIA = Path("/etc/OpenCL/vendors/nvidia.icd")


@dataclass(frozen=True)
class Worker:
    """A command in its sandbox; it knows no paths but those inside."""

    work: Work
    shape: Geometry
    command: list[str]
    box: Box
    in_place: bool = False  # its kernel computes in the judge's memory
    most: int = 0  # MiB of memory that it may use; 0: no matter


def make(work: Work, files: dict[str, bytes]) -> Worker:
    """The worker that is graded; Unfit says why there is none."""
    open_bench(work, files)
    on_cpu = work.backend != "opencl" and not on_gpu(work.lab)
    then = linking(work, "worker", "common", "-static") if on_cpu else []
    shape = take(work, not on_gpu(work.lab), then)
    if work.backend == "cuda" and on_gpu(work.lab):
        compile_for_gpu(work, gpu())
        return of_gpu(work, shape, "cuda_device", [], "kernel.cubin")
    if work.backend == "opencl" and on_gpu(work.lab):
        return of_gpu(work, shape, "opencl", ["source"], work.source)
    if work.backend == "opencl":
        compile_opencl(work, shape)
        return of_opencl(work, shape)
    filter = "threads" if work.task.threads > 1 or work.backend == "cuda" else "kernel"
    in_place = work.backend == "cpu"
    return Worker(work, shape, ["/worker"], alone(work, filter), in_place, MOST)


def alone(work: Work, filter: str) -> Box:
    """Of a program that needs no file but itself."""
    files = ((str(work.built / "worker"), "/worker"),)
    return Box(filter, files, memory=MEMORY, without=work.without)


def of_opencl(work: Work, shape: Geometry) -> Worker:
    """A program of ours, and the driver with its libraries: /tmp is where it unpacks the kernel."""
    program = str(grading() / "opencl")
    files = ((program, "/opencl"), (str(work.built / "kernel.bin"), "/kernel.bin"), *driver())
    where = ("LD_LIBRARY_PATH=/libraries", "POCL_CACHE_DIR=/tmp", "POCL_DEVICES=pthread")
    box = Box("files", files, environment=where, memory=MEMORY, without=work.without)
    words = ["/opencl", "shared", *shape.words, "/kernel.bin"]
    return Worker(work, shape, words, box, True, MOST)


@cache
def gpu() -> str:
    """The architecture of NVIDIA's GPU here, sm_90; nothing where there is none, or no toolkit."""
    if not (GRADING / "cuda_device").exists():
        return ""
    said = run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], TOP, 60)
    found = re.match(r"(\d+)\.(\d)\b", said.out) if said.status == 0 else None
    return f"sm_{found[1]}{found[2]}" if found else ""


def on_gpu(lab: Lab) -> bool:
    """Does its kernel run on a GPU here?"""
    return bool(gpu()) and (lab.backend == "cuda" or lab.backend == "opencl" and NVIDIA.is_file())


def of_gpu(work: Work, shape: Geometry, program: str, mode: list[str], kernel: str) -> Worker:
    """Host code of ours, with the driver of the system: see grading/README.md for what a GPU does
    not isolate."""
    wanted = (
        (str(grading() / program), "/worker"),
        (str(work.built), "/built"),
        ("/etc/OpenCL", "/etc/OpenCL"),
    )
    files = tuple(pair for pair in wanted if Path(pair[0]).exists())
    devices = tuple(str(path) for path in sorted(Path("/dev").glob("nvidia*")) if not path.is_dir())
    box = Box("compiler", files, devices, system=True, memory=None, without=work.without)
    return Worker(work, shape, ["/worker", *mode, *shape.words, f"/built/{kernel}"], box)


@cache
def driver() -> tuple[tuple[str, str], ...]:
    """The files that a program needs for OpenCL on this CPU, and where it looks for them."""
    vendor = Path("/etc/OpenCL/vendors/pocl.icd")
    if not vendor.is_file():
        raise UserError("no PoCL here, on which OpenCL kernels are graded: ./setup")
    pocl = vendor.read_text().strip()
    plugins = sorted(Path("/usr/lib").glob("*/pocl"))
    libraries = closure(
        [
            str(grading() / "opencl"),
            find(pocl),
            *(str(so) for p in plugins for so in p.glob("*.so")),
        ]
    )
    files = [(str(path.resolve()), f"/libraries/{path.name}") for path in libraries]
    loaders = [path for path in libraries if path.name.startswith("ld-")]
    files += [(str(path.resolve()), str(path)) for path in loaders]
    files += [(str(plugin), str(plugin)) for plugin in plugins]
    files += [
        (path, path)
        for path in ("/etc/OpenCL", "/usr/share/pocl", "/proc/cpuinfo", "/proc/meminfo")
    ]
    return tuple(files)


def find(library: str) -> str:
    """Where the loader finds it."""
    if "/" in library:
        return library
    for folder in ("/usr/local/lib", "/usr/lib", "/usr/lib64"):
        for found in (*Path(folder).glob(library), *Path(folder).glob(f"*/{library}")):
            return str(found)
    raise UserError(f"cannot find {library}, which /etc/OpenCL/vendors/pocl.icd names: ./setup")


def closure(programs: list[str]) -> list[Path]:
    """All libraries that these need, and those themselves that are some."""
    said = run(["ldd", *programs], TOP, 60).out
    paths = {Path(path) for path in re.findall(r"(?:=> |^\s+)(/\S+) \(", said, re.MULTILINE)}
    return sorted(paths | {Path(program) for program in programs if ".so" in program})
