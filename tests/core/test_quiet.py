# SPDX-License-Identifier: MIT
"""What disturbs a program while it is timed is said beside its figure, in a short remark."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Copy
from tests.support import edit, make, run
from workbook.core import quiet
from workbook.core.quiet import ANOTHER, beside, disturbed

LOADED = "the load average was 5.0 on 2 cores"


def record(cpu_ms: float | None, *elapsed_ms: float) -> dict[str, Any]:
    return {"repetitions": [{"cpu_ms": cpu_ms, "kernel_ms": ms} for ms in elapsed_ms]}


@pytest.mark.parametrize(
    ("said", "others", "expected"),
    [
        (record(10, 10), [], ""),
        (record(10, 10.5), [LOADED], ""),  # its core was its own all the same
        (record(44, 78), [], "the core was taken away: 44 ms of CPU time in 78 ms"),
        (record(10, 10, 10, 90), [], ""),  # nor does the median know of it
        (record(40, 10), [], ""),  # threads
        (record(10, 10), [ANOTHER], ANOTHER),
        (record(None, 10), [LOADED], LOADED),  # of OpenCL no CPU time is known
        ({"repetitions": []}, [ANOTHER], ""),  # nothing was timed
    ],
)
def test_what_is_said_of_a_timed_run(
    said: dict[str, Any], others: list[str], expected: str
) -> None:
    assert disturbed(said, others) == expected


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(quiet, "FILE", tmp_path / "build/running")
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    return tmp_path / "build/running"


def test_two_programs_see_one_another(alone: Path) -> None:
    with beside() as first, beside() as second:
        pass
    assert second == [ANOTHER]
    assert first == []  # it was alone at its beginning, and at its end


def test_a_loaded_machine(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (5.0, 0.0, 0.0))
    with beside() as others:
        pass
    assert others == [LOADED]


SLEEPS = (
    "    struct timespec pause = {0, 20000000};\n    nanosleep(&pause, NULL);\n    for (int i = 0;"
)


def test_a_program_says_that_its_core_was_taken_away(lab: Copy) -> None:
    """Here it lets it go itself."""
    folder = lab("lab01_cpu_naive")
    edit(folder / "kernel.c", "    for (int i = 0;", SLEEPS)
    edit(folder / "kernel.c", '#include "params.h"', '#include "params.h"\n#include <time.h>')
    assert make(folder, "gemm").status == 0
    out = run(["./gemm", "16", "--reps", "3"], folder).out
    assert " ms of CPU time in " in out.partition("the core was taken away: ")[2].splitlines()[0]


def test_make_run_says_that_another_ran(lab: Copy, tree: Path) -> None:
    folder = lab("lab01_cpu_naive")
    (tree / "build").mkdir(exist_ok=True)
    with open(tree / "build/running", "a") as another:
        fcntl.flock(another, fcntl.LOCK_SH)
        said = make(folder, "run", "SIZE=16")
    assert said.status == 0, said.text
    assert said.out.splitlines()[-1] == f"  disturbed      {ANOTHER}"
