# SPDX-License-Identifier: MIT
"""diff [A] B: what a student would change to get from A to B, as a unified diff of the code. A and
B are labs, or kernels in them. Without A: the lab that B's first step begins from, and the kernel a
step at a time."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.process import run
from workbook.core.progress_bar import has_colours
from workbook.core.suggest import suggest
from workbook.lab import labs
from workbook.lab.whole import no_kernel

LIMIT = 60  # seconds
BOLD, RED, GREEN, CYAN, PLAIN = "\033[1m", "\033[31m", "\033[32m", "\033[36m", "\033[0m"
COLOURS = {"---": BOLD, "+++": BOLD, "-": RED, "+": GREEN, "@": CYAN}  # of lines that begin so


def find(name: str, here: Path) -> Path:
    for path in here / name, TOP / name, TOP / labs.ADVANCED / name:
        if path.exists():
            return path.resolve()
    near = suggest(name, [lab.name for lab in labs.every()])
    meant = f"the nearest is {near}" if near else f"ls {TOP} shows the labs"
    raise UserError(f"no lab or file '{name}': {meant}")


def kernel(path: Path) -> Path:
    """A lab's, or the file itself."""
    if path.is_file():
        return path
    programs = labs.describe(str(path), []).programs
    if not programs or not programs[0].kernel:
        raise UserError(no_kernel(path))
    return path / programs[0].kernel


def others(lab: Path) -> list[Path]:
    """What a lab consists of beside its kernel."""
    main = next(iter(sorted(lab.glob("main.c*"))), lab / "main")
    return [lab / "params.h", main, lab / "Makefile"]


def differences(a: Path, b: Path) -> str:
    names = [str(path.relative_to(TOP) if TOP in path.parents else path) for path in (a, b)]
    outcome = run(["diff", "-u", "-L", names[0], "-L", names[1], str(a), str(b)], TOP, LIMIT)
    if outcome.status not in (0, 1):
        raise UserError(outcome.err.strip() or f"diff ends with status {outcome.status}")
    return "".join(coloured(line) for line in outcome.out.splitlines(keepends=True))


def coloured(line: str) -> str:
    colour = next((code for begin, code in COLOURS.items() if line.startswith(begin)), "")
    return f"{colour}{line[:-1]}{PLAIN}\n" if colour and has_colours(sys.stdout) else line


def before(b: Path) -> tuple[Path, Path, list[labs.Program]]:
    """The lab before B, the one that its first step begins from, and its steps in order."""
    lab = labs.describe(str(b), [])
    former, base = labs.before(lab), labs.base(lab)
    if former is None or base is None:
        why = "is the first lab" if b in labs.ladder() else "has no BEFORE in its Makefile"
        raise UserError(f"{b.name} {why}: give A=...")
    return former, base, sorted((p for p in lab.programs if p.step), key=lambda p: p.step or 0)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="diff",
        description="Shows what changed from A to B: labs, or kernels in them. Without A: since "
        "the lab that B begins from, and its kernel a step at a time.",
        epilog="example: diff lab04_ocl_naive lab08_cuda_naive",
    )
    about = "lab02_avx, lab07_ocl_localmem/kernel_one_per_item.cl"
    parser.add_argument("path", nargs="+", metavar="A B", help=about)
    about = "where other paths than the top's begin"
    parser.add_argument("--here", type=Path, default=Path.cwd(), help=about)
    given = parser.parse_args(words)
    if len(given.path) > 2:
        raise UserError("more than two to compare: give one, or A and B")
    b = find(given.path[-1], given.here)
    steps: list[labs.Program] = []
    if len(given.path) == 2:
        a = base = find(given.path[0], given.here)
    else:
        a, base, steps = before(b)

    here = kernel(base)
    for step in steps:
        there = b / step.kernel
        print(f"==== step {step.step}: {step.variant}\n{differences(here, there)}", end="")
        here = there
    if steps:
        print(f"==== step {len(steps) + 1}: the kernel of {b.name}")
    print(differences(here, kernel(b)), end="")
    if a.is_dir() and b.is_dir():
        if steps:
            print("==== what is not the kernel, all steps at once")
        for one, other in zip(others(a), others(b)):
            if one.is_file() and other.is_file():
                print(differences(one, other), end="")
    return 0
