# SPDX-License-Identifier: MIT
"""Whether a handout shows a solution: a line of a kernel that is to be written, in any of its
files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from workbook import TOP
from workbook.lab.labs import IN_PROGRAM, Lab
from workbook.lab.stages import ANSWERS, bare

DISTINCT = 20  # characters besides white space: a shorter line may well be anybody's


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def files(book: Path) -> Iterator[Path]:
    return (path for path in sorted(book.rglob("*")) if path.is_file())


def solution_lines(lab: Lab) -> dict[str, str]:
    """The lines of a lab's kernels, the preprocessor's apart, by what is left without white
    space."""
    kernels = [*(ANSWERS / lab.name).glob("kernel*"), *(TOP / lab.name).glob("kernel_*.*")]
    lines = (line for path in kernels for line in lines_of(path) if not line.startswith("#"))
    return {bare(line): line.strip() for line in lines}


def shown(book: Path, chosen: list[Lab], given: list[Lab]) -> str:
    """What students see anyway: what verifies, the starting points, the labs that come solved, and
    the variants that who teaches has chosen."""
    paths = [path for folder in IN_PROGRAM for path in (TOP / folder).glob("*.c")]
    paths += [path for lab in chosen for path in (TOP / lab.name / "start").glob("kernel*")]
    paths += book.glob("lab*/kernel_*")
    paths += [path for lab in given for path in (ANSWERS / lab.name).glob("kernel*")]
    return " ".join(bare("\n".join(lines_of(path))) for path in paths)


def shows(lab: Lab, variant: Path) -> int:
    """How many lines of the lab's own solution stand in a variant of it."""
    known = bare(
        "\n".join(
            line for path in (TOP / lab.name / "start").glob("kernel*") for line in lines_of(path)
        )
    )
    text = bare("\n".join(lines_of(variant)))
    kernels = (ANSWERS / lab.name).glob("kernel*")
    lines = {bare(line) for path in kernels for line in lines_of(path) if not line.startswith("#")}
    return sum(len(line) >= DISTINCT and line in text and line not in known for line in lines)


def leaks(book: Path, chosen: list[Lab], given: list[Lab]) -> list[str]:
    """Where a line of one of the chosen labs stands, a sentence each."""
    known = shown(book, chosen, given)
    secrets = [
        (short, f"would show a line of {lab.name}'s solution: {line}")
        for lab in chosen
        for short, line in solution_lines(lab).items()
        if len(short) >= DISTINCT and short not in known
    ]
    found = []
    for path in files(book):
        text = re.sub(r"\s+", "", path.read_text(encoding="utf-8", errors="replace"))
        found += [f"{path.relative_to(book)} {said}" for short, said in secrets if short in text]
    return found
