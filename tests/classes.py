# SPDX-License-Identifier: MIT
"""Classes of submissions, and make grade as the tests call it."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.schemas import complaints
from tests.support import TOP, Result, run

FIRST, SECOND = "lab01_cpu_naive", "lab02_avx"
FAST = ("--size=48",)


def hand_in(folder: Path, lab: str, kernel: Path) -> None:
    (folder / lab).mkdir(parents=True, exist_ok=True)
    shutil.copy(kernel, folder / lab / f"kernel{kernel.suffix}")


def answer(lab: str) -> Path:
    return next((TOP / "answers" / lab).glob("kernel.*"))


def cheat(name: str) -> Path:
    return next((TOP / "tests/cheats").glob(f"{name}.*"))


def grade(
    subs: Path,
    out: Path,
    *words: str,
    env: Mapping[str, str] | None = None,
    seconds: float = 300,
    book: Path = TOP,
) -> Result:
    command = [sys.executable, "-m", "workbook", "grade", str(subs), str(out), *words]
    return run(command, book, seconds, env={"PYTHONPATH": str(book), **(env or {})})


def rows(out: Path) -> list[dict[str, str]]:
    with open(out / "grades.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def record(out: Path, name: str, lab: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads((out / name / f"{lab}.json").read_text())
    assert complaints(said, "gemm-grade") == []
    return said


def marks(out: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Verdict and points; those for speed are the machine's."""
    return {(row["submission"], row["lab"]): (row["verdict"], row["points"]) for row in rows(out)}
