# SPDX-License-Identifier: MIT
"""asm LAB: the inner loop of a lab as the machine runs it.

CPU     disassembly of kernel.o
OpenCL  PTX, registers and spills on NVIDIA; disassembly of what PoCL compiled on a CPU
CUDA    PTX, with registers and spills as ptxas reports them
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import sys
from pathlib import Path

from workbook import UserError
from workbook.core.process import Outcome, run
from workbook.core.text import plain
from workbook.lab import labs
from workbook.lab.labs import Lab, Program, environment
from workbook.profile.x86 import objdump
from workbook.profile.x86.bound import bound
from workbook.profile.x86.code import Instruction, loops, main_loop
from workbook.show.asm import ptx

LIMIT = 300  # seconds for a compiler, or for a run
NO_LOOP = "  (no loop that multiplies found)"


class Skipped(Exception):
    """Why there is nothing to show here."""


def shown(code: list[Instruction], kernel: str) -> list[str]:
    """The loop with the most multiply-adds, and what other loops do."""
    found = loops(code)
    if not found:
        return [NO_LOOP]
    best = main_loop(found)
    lines = ["  " + instruction.text.replace("\t", "  ") for instruction in best.instructions]
    lines.append(f"  {best.summary(kernel)}, in {best.length} instructions")
    lines += bound(best)
    others = [loop.summary(kernel) for loop in found if loop.lines or not best.lines]
    return lines + [
        f"  another loop: {other}"
        for other in dict.fromkeys(others)
        if other != best.summary(kernel)
    ]


def registers(said: str) -> list[str]:
    return [line for line in said.splitlines() if re.search("registers|spill", line)]


def of_object(file: Path, kernel: str, build: Path) -> list[str]:
    """With the lines of the source, where there is debug information."""
    return shown(objdump.parse(objdump.disassembled(file, build), kernel), kernel)


def of_ptx(file: Path, kernel: str, said: Outcome) -> list[str]:
    """And what the compiler said of registers."""
    code = ptx.parse(file.read_text(encoding="utf-8", errors="replace"), kernel)
    return [*shown(code, kernel), *registers(said.out + said.err)]


def done(outcome: Outcome, binary: Path | None = None) -> Outcome:
    """A kernel that is compiled may be wrong, or not done yet."""
    if outcome.status == 1 and binary is not None and binary.is_file():
        return outcome
    if outcome.timed_out:
        raise UserError(f"not done within {LIMIT} s")
    if outcome.status == 77:
        raise Skipped(plain(outcome.err).replace("gemm: skipped: ", "", 1))
    if outcome.status != 0:
        lines = [line for line in outcome.err.splitlines() if line.strip()] or ["it says nothing"]
        first = next((line for line in lines if "error" in line), lines[-1])
        raise UserError(f"status {outcome.status}: {plain(first)}")
    return outcome


def for_cpu(lab: Lab, program: Program) -> list[str]:
    name = f"{Path(program.kernel).stem}.o"
    build = lab.path / "build"
    return [f"{name}, the inner loop:", *of_object(build / name, program.kernel, build)]


def for_cuda(lab: Lab, program: Program, nvcc: list[str]) -> list[str]:
    if not nvcc:
        raise Skipped("no nvcc: install the CUDA Toolkit")
    out = str(lab.path / "build" / Path(program.kernel).stem)
    of_ptx_file, of_cubin = ["-lineinfo", "-ptx"], ["-Xptxas", "-v", "-cubin"]
    done(run([*nvcc, *of_ptx_file, "-o", f"{out}.ptx", program.kernel], lab.path, LIMIT))
    said = done(run([*nvcc, *of_cubin, "-o", f"{out}.cubin", program.kernel], lab.path, LIMIT))
    title = f"{program.kernel}, PTX of the inner loop, and what ptxas says:"
    return [title, *of_ptx(Path(f"{out}.ptx"), program.kernel, said)]


def for_opencl(lab: Lab, program: Program) -> list[str]:
    build = lab.path / "build"
    binary, cache = build / f"{Path(program.kernel).stem}.ptx", build / "pocl"
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(parents=True)
    more = {"POCL_EXTRA_BUILD_FLAGS": "-g", "POCL_CACHE_DIR": str(cache)}
    command = [f"./{program.name}", "300", "--once", "--binary", str(binary)]
    binary.unlink(missing_ok=True)
    said = done(run(command, lab.path, LIMIT, {**environment(), **more}), binary)
    if re.search(rb"^\.version", binary.read_bytes(), re.MULTILINE):
        title = f"{program.kernel}, PTX of the inner loop, and what the driver says:"
        return [title, *of_ptx(binary, program.kernel, said)]
    libraries = sorted(cache.rglob("gemm/*/*.so"))  # that of no group's size, 0-0-0, comes first
    if not libraries:
        raise Skipped("no machine code was kept by this OpenCL driver")
    title = f"{program.kernel}, as PoCL compiled it for this CPU, the inner loop:"
    return [title, *of_object(libraries[-1], program.kernel, build)]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="asm",
        description="Shows the loop that does the work as the machine runs it, with the lines of "
        "the kernel that it comes from, registers and spills. make asm builds the lab first; "
        "make asm VARIANT=published.",
    )
    parser.add_argument("lab", help="a lab's folder: lab02_avx")
    parser.add_argument("--nvcc", default="", help="the command that compiles a CUDA kernel")
    given = parser.parse_args(words)
    settings = labs.given()
    lab = labs.describe(given.lab, settings)
    program = labs.chosen(lab, settings)
    try:
        if lab.skip is not None and lab.backend != "cuda":
            raise Skipped(lab.skip)
        if lab.backend == "cpu":
            lines = for_cpu(lab, program)
        elif lab.backend == "opencl" and lab.emulated:
            raise Skipped("no OpenCL driver has compiled it: the engine's code is no device's")
        elif lab.backend == "opencl":
            lines = for_opencl(lab, program)
        else:
            lines = for_cuda(lab, program, shlex.split(given.nvcc))
    except Skipped as why:
        print(f"asm: skipped: {why}", file=sys.stderr)
        return 0
    print("\n".join(lines))
    return 0
