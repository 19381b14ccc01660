# SPDX-License-Identifier: MIT
"""What earns how many points: points.tsv."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbook import Mistake


@dataclass(frozen=True)
class Worth:
    correct: int  # every program is right on every shape, and free of races
    times: float | None  # as fast as the lab before, for
    fast: int


def read_points(path: Path) -> dict[str, Worth]:
    table = {}
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"{path}: is no UTF-8 text") from error
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            lab, correct, times, fast = line.split("\t")
            table[lab] = Worth(int(correct), None if times == "-" else float(times), int(fast))
        except ValueError as error:
            wanted = "lab, points, times or -, points, separated by tabs"
            raise Mistake(f"{path}:{number}: '{line}' is not as the others: {wanted}") from error
    return table
