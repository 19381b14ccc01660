# SPDX-License-Identifier: MIT
"""gemm --no-warmup: timed runs alone, for one more round of a program verified before. They are
verified too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import edit, make, run

LAB = "lab01_cpu_naive"


def timed(folder: Path, *words: str) -> tuple[int, str, int]:
    """The status, the line that says how it was verified, and how many repetitions there were."""
    result = run(["./gemm", "64", "--reps", "2", "--json", "record.json", *words], folder)
    verified = [
        line.split("PASS")[1].strip()
        for line in result.out.splitlines()
        if line.startswith("  verified")
    ]
    repetitions = json.loads((folder / "record.json").read_text())["repetitions"]
    return result.status, "".join(verified), len(repetitions)


def test_another_round_has_its_timed_runs_and_claims_no_integers(
    lab: Callable[[str], Path],
) -> None:
    folder = lab(LAB)
    assert make(folder, "gemm").status == 0
    status, verified, repetitions = timed(folder)
    assert (status, repetitions) == (0, 2) and verified.endswith("; exact on integers")
    assert timed(folder, "--no-warmup") == (0, verified.partition(";")[0], 2)


@pytest.mark.parametrize("words", [[], ["--no-warmup"]], ids=["first", "warm"])
def test_a_wrong_result_is_found_in_every_round(
    lab: Callable[[str], Path], words: list[str]
) -> None:
    folder = lab(LAB)
    edit(folder / "kernel.c", "real sum = 0", "real sum = 1")
    assert make(folder, "gemm").status == 0
    assert timed(folder, *words) == (1, "", 0)
