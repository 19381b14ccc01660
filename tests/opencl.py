# SPDX-License-Identifier: MIT
"""Programs of tests/engine, NAME.c with the kernels of NAME.cl: on the engine, and on a driver."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support import TOP, emulation, run

HERE = TOP / "tests/engine"


def on_engine(name: str, folder: Path, clang: str) -> Path:
    kernel, host, program = folder / "kernel.o", folder / "host_program.o", folder / name
    compiler: list[str | Path] = [sys.executable, TOP / "engine/opencl/compile.py", clang]
    objects = emulation("g++", folder, *sorted(TOP.glob("engine/opencl/*.cpp")))
    commands: list[list[str | Path]] = [
        [*compiler, "-O1", "-w", "-o", kernel, HERE / f"{name}.cl"],
        ["gcc", "-O1", "-w", "-c", "-o", host, HERE / f"{name}.c"],
        ["g++", "-pthread", "-rdynamic", "-o", program, *objects, host, kernel],
    ]
    for command in commands:
        ended = run(command, TOP)
        assert (ended.status, ended.text) == (0, "")
    return program


def on_pocl(name: str, folder: Path) -> Path:
    program = folder / f"pocl_{name}"
    flags: list[str | Path] = ["-O1", "-w", "-o", program, HERE / f"{name}.c", "-lOpenCL", "-lm"]
    if run(["gcc", *flags], TOP).status != 0 or not any(Path("/etc/OpenCL/vendors").glob("pocl*")):
        pytest.skip("PoCL is not installed")
    return program
