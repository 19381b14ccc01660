# SPDX-License-Identifier: MIT
"""./gemm --csv appends: one header, old rows untouched, and all of a run's rows or none."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.copies import workshop
from tests.support import make, run

COLUMNS = (
    "lab variant backend device type M N K rep kernel_ms h2d_ms d2h_ms alloc_ms build_ms gflops"
).split()
COLUMNS += ["verified"]


@pytest.fixture(scope="module")
def folder(tree: Path) -> Path:
    folder = workshop(tree, "lab01_cpu_naive")
    assert make(folder, "gemm").status == 0
    return folder


@pytest.fixture
def file(folder: Path, tmp_path: Path) -> Path:
    """Of one run of three repetitions."""
    file = tmp_path / "a.csv"
    assert run(["./gemm", "64", "96", "80", "--reps", "3", "--csv", file], folder).status == 0
    return file


def test_header_and_a_row_for_each_repetition(folder: Path, file: Path) -> None:
    header, *rows = csv.reader(file.read_text().splitlines())
    assert header[: len(COLUMNS)] == COLUMNS
    assert {len(row) for row in rows} == {len(header)}
    named = [dict(zip(header, row)) for row in rows]
    assert [row["rep"] for row in named] == ["1", "2", "3"]
    assert {tuple(row[name] for name in ("lab", "type", "M", "N", "K")) for row in named} == {
        (folder.name, "float", "64", "96", "80")
    }


def test_appends_and_leaves_old_rows_alone(folder: Path, file: Path) -> None:
    before = file.read_text()
    assert run(["./gemm", "32", "--reps", "2", "--csv", file], folder).status == 0
    after = file.read_text()
    assert after.startswith(before)
    assert after.count("\n") == before.count("\n") + 2
    assert after.count("lab,") == 1


def test_a_full_disk_is_told_and_leaves_old_rows_alone(folder: Path, file: Path) -> None:
    before = file.read_text()
    blocks = len(before) // 512 + 1  # part of the rows would fit
    command = f"trap '' XFSZ; ulimit -f {blocks}; exec ./gemm 64 --reps 20 --csv '{file}'"
    ended = run(command, folder)
    assert ended.status == 2
    assert ended.err.startswith("gemm: ")
    assert file.read_text() == before


def test_a_run_that_is_refused_leaves_no_rows(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "b.csv"
    assert run(["./gemm", "64", "--csv", file, "--device", "nosuch"], folder).status == 2
    assert not file.exists() or file.read_text() == ""
