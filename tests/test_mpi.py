# SPDX-License-Identifier: MIT
"""The lab with ranks: right on every shape with any number of them; a broken kernel is caught; whatever goes
wrong in one rank, there is one line, a status, and nobody left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.copies import changed
from tests.schemas import complaints
from tests.support import Result, edit, environment, make, needs, run
from workbook import labs
from workbook.race.inspect import use
from workbook.race.tools import for_cpu
from workbook.ranks import ENVIRONMENT, mpirun
from workbook.records import RUN, read

LAB = "advanced/lab20_mpi"
SMALL = ("BLOCK_M=12", "BLOCK_N=32", "BLOCK_K=16")  # so that a small problem has many panels


@pytest.fixture(scope="module")
def lab(tree: Path) -> Path:
    """With small blocks."""
    needs("mpicc")
    needs("mpirun")
    assert make(tree / LAB, "all", *SMALL).status == 0
    return tree / LAB


def ranks(lab: Path, many: int, *words: str, program: str = "gemm") -> tuple[Result, dict[str, Any]]:
    path = lab / "record.json"
    path.unlink(missing_ok=True)
    ended = run([*mpirun(many), f"./{program}", *words, "--json", path], lab, 100, ENVIRONMENT)
    return ended, read(path, RUN) if path.exists() else {}


@pytest.mark.parametrize("program", ["gemm", "gemm_blocking"])
@pytest.mark.parametrize("many", [1, 2, 3, 4, 5, 6, 7, 12])
def test_is_right_on_every_shape_with_any_number_of_ranks(lab: Path, many: int, program: str) -> None:
    ended, record = ranks(lab, many, "--check", program=program)
    assert (ended.status, record["verdict"], ended.err) == (0, "pass", ""), ended.text
    assert [shape["verdict"] for shape in record["shapes"]] == ["pass"] * 29
    assert record["ranks"]["count"] == many == record["ranks"]["rows"] * record["ranks"]["columns"]


@pytest.mark.parametrize("size", [(3, 40, 50), (40, 3, 50), (40, 50, 3), (1, 1, 1), (61, 67, 71)])
def test_more_ranks_than_rows_or_columns(lab: Path, size: tuple[int, ...]) -> None:
    ended, record = ranks(lab, 16, *map(str, size), "--once")
    assert (ended.status, record["verdict"]) == (0, "pass"), ended.text


def test_a_record_of_several_ranks(lab: Path) -> None:
    ended, record = ranks(lab, 6, "100", "--reps", "2")
    assert ended.status == 0, ended.text
    assert complaints(record, "gemm-run") == []
    assert record["ranks"] == {"count": 6, "rows": 3, "columns": 2, "nodes": 1}
    assert all(time["h2d_ms"] > 0 and time["d2h_ms"] > 0 for time in record["repetitions"])
    assert re.search(r"^  ranks +6, in 3 x 2; [0-9.]+ ms to distribute, [0-9.]+ to gather$", ended.out, re.M)
    assert max(map(len, ended.out.splitlines())) <= 80


# ---- broken kernels ---------------------------------------------------------------------------
BROKEN = {
    "the-last-panel-is-dropped": ("k < K; k += p.depth, at", "k + p.depth < K; k += p.depth, at", "k = 0, at"),
    "the-wrong-root": ("MPI_FLOAT, p.row, grid", "MPI_FLOAT, 0, grid", ""),
    "nobody-waits": ("        MPI_Waitall(2, coming, MPI_STATUSES_IGNORE);\n", "", ""),
    "one-is-not-waited-for": ("MPI_Waitall(2, coming", "MPI_Waitall(1, coming", ""),
    "one-buffer-for-both": ("float *a[] = {memory, memory + a_size}", "float *a[] = {memory, memory}", ""),
    "rows-and-columns-exchanged": ("p.col, grid.along_row", "p.col, grid.along_col", ""),
    "the-first-rows-only": ("for (int i = 0; i < m; i++)", "for (int i = 0; i < m - 1; i++)", ""),
    "a-panel-passes-its-owner": ("min(BLOCK_K, past - k)", "min(BLOCK_K, K - k)", ""),
    "panels-are-not-added": ("C, k == 0)", "C, 1)", ""),
    "writes-beside-its-part": ("    free(memory);", "    C[m * n] = 1;\n    free(memory);", ""),
    "changes-its-part-of-a": ("    free(memory);", "    if (m * n > 0)\n        ((real *)A)[0] += 1;\n    free(memory);", ""),
}  # fmt: skip


@pytest.fixture
def broken(lab: Path) -> Iterator[Any]:
    """broken(OLD, NEW): a kernel that has another text."""
    kernel = lab / "kernel.c"
    was = kernel.read_text()

    def change(old: str, new: str) -> Path:
        edit(kernel, old, new)
        built = make(lab, "gemm", *SMALL)
        assert built.status == 0, built.text
        return lab

    yield change
    kernel.write_text(was)
    assert make(lab, "all", *SMALL).status == 0


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_kernel_is_caught(broken: Any, mistake: str) -> None:
    old, new, _ = BROKEN[mistake]
    ended, record = ranks(broken(old, new), 6, "--check")
    assert ended.status != 0 and record["verdict"] != "pass", ended.text
