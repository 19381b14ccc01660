# SPDX-License-Identifier: MIT
"""Compiles the programs of ceilings/."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
from pathlib import Path

from workbook import TOP, Mistake
from workbook.labs import BUILD_LIMIT, environment
from workbook.process import Outcome, run
from workbook.text import plain

HERE = "ceilings"
# What compilers and linkers say of a header or a library that is not installed.
LACKS = r"\.h\b.*(No such file|not found)|cannot find -l|(library|framework) .*not found"
# Each is compiled for itself: registers are as wide as the flags allow, and FMA is used where there is one.
SETS = {
    "baseline": (16, []),
    "avx2": (32, ["-mavx2", "-mfma"]),
    "avx512": (64, ["-mavx512f", "-mavx512dq"]),
}
# For session/config.c of common/, where make says it of a lab.
CONFIG = {"LAB": HERE, "CEILINGS": "build/ceilings.tsv", "GIVEN": "", "UNFINISHED": ""}


class Missing(Mistake):
    """A compiler, headers, a library or a device is not here: nothing to measure."""


def build(backend: str, type_: str, work: Path) -> None:
    """Makes WORK/peak; a folder below TOP."""
    if backend == "opencl":
        shutil.copy(TOP / HERE / "opencl.cl", TOP / work)
        (TOP / work / "params.h").write_text("// none\n", encoding="utf-8")
    for command in commands(backend, type_, work):
        outcome = run(command, TOP, BUILD_LIMIT, {**environment(), "PATH": path()})
        if outcome.status != 0:
            raise why(backend, command[0], outcome)


def why(backend: str, program: str, outcome: Outcome) -> Mistake:
    lines = (outcome.err + outcome.out).splitlines()
    if outcome.status in (126, 127):
        return Missing(f"{backend}: skipped: {program} is not installed")
    if program == "nvidia-smi":
        return Missing(f"{backend}: skipped: {plain(lines[-1]) if lines else 'no device'}")
    if outcome.timed_out:
        return Mistake(f"{backend}: the compiler needs more than {BUILD_LIMIT} s")
    if lacks := [line for line in lines if re.search(LACKS, line)]:
        return Missing(f"{backend}: skipped: {plain(lacks[0])}")
    first = [line for line in lines if "error" in line] or lines or [f"{program} says nothing"]
    return Mistake(f"{backend}: does not build: {plain(first[0])}")


def path() -> str:
    return os.environ.get("PATH", os.defpath) + ":/usr/local/cuda/bin"


def commands(backend: str, type_: str, work: Path) -> list[list[str]]:
    flags = ["-O3", "-Icommon", f"-I{work}", f"-Dreal={type_}", "-D_XOPEN_SOURCE=700", "-D_DARWIN_C_SOURCE"]
    config = [f'-D{name}="{said}"' for name, said in {**CONFIG, "FOLDER": str(work)}.items()]
    cc = [*shlex.split(os.environ.get("CC") or "cc"), "-std=c11", *flags, *config, "-DUSES_SIMDE=0"]
    sources = [str(file.relative_to(TOP)) for file in sorted((TOP / "common").rglob("*.c"))]
    common = [name for name in sources if not Path(name).name.startswith("ocl")]
    peak = ["-o", f"{work}/peak"]
    if backend == "opencl":
        libraries = ["-framework", "OpenCL"] if platform.system() == "Darwin" else ["-lOpenCL"]
        defines = f'-DDEFINES="-Dreal={type_}"'
        return [[*cc, defines, *peak, f"{HERE}/opencl.c", *sources, *libraries, "-lm", "-ldl"]]
    if backend == "cuda":
        objects = [f"{work}/{Path(name).name}.o" for name in common]
        each = [[*cc, "-c", "-o", o, name] for o, name in zip(objects, common)]
        nvcc = ["nvcc", "-arch=native", *flags, *peak, f"{HERE}/cuda.cu", *objects]
        return [["nvidia-smi", "-L"], *each, nvcc]
    sets = SETS if platform.machine() == "x86_64" else {"baseline": SETS["baseline"]}
    chains = [
        [*cc, *more, "-ffp-contract=fast", f"-DNAME=chains_{name}", f"-DBYTES={width}"]
        + ["-c", "-o", f"{work}/{name}.o", f"{HERE}/chains.c"]
        for name, (width, more) in sets.items()
    ]
    objects = [f"{work}/{name}.o" for name in sets]
    return [*chains, [*cc, *peak, f"{HERE}/cpu.c", *objects, *common, "-lm", "-ldl"]]
