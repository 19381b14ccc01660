# SPDX-License-Identifier: MIT
"""Whether a handout shows a solution: a line of a kernel that is to be written, in any of its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from workbook import TOP
from workbook.labs import Lab
from workbook.stages import ANSWERS

DISTINCT = 24  # characters besides white space: a shorter line may well be anybody's


def bare(text: str) -> str:
    """Without line comments and white space."""
    return re.sub(r"\s+", "", re.sub(r"//.*", "", text))


def solution_lines(lab: Lab) -> dict[str, str]:
    """The lines of a lab's kernels that its starting points do not have, as they stand."""
    kernels = [*(ANSWERS / lab.name).glob("kernel*"), *(TOP / lab.name).glob("kernel_*.*")]
    common = " ".join(bare("\n".join(lines_of(path))) for path in (TOP / lab.name / "start").glob("kernel*"))
    said = {bare(line): line.strip() for path in kernels for line in lines_of(path)}
    return {line: shown for line, shown in said.items() if len(line) >= DISTINCT and line not in common}


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def files(book: Path) -> Iterator[Path]:
    return (path for path in sorted(book.rglob("*")) if path.is_file())


def leaks(book: Path, chosen: list[Lab]) -> list[str]:
    """Where a line of one of these labs stands, a sentence each."""
    secret = {line: (lab, shown) for lab in chosen for line, shown in solution_lines(lab).items()}
    found = []
    for path in files(book):
        text = re.sub(r"\s+", "", path.read_text(encoding="utf-8", errors="replace"))
        for line, (lab, shown) in secret.items():
            if line in text:
                where = path.relative_to(book)
                found.append(f"{where} would show a line of {lab.name}'s solution: {shown}")
    return found
