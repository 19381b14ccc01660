# SPDX-License-Identifier: MIT
"""What each row of common/diagnosis/mistakes.def leaves in C is named by that row, and by no other.

rows.c computes C by a row at the first shape of a rehearsal at which it is wrong, for the tiles of
the labs. Shapes that are smaller than a tile tell less: there, some rows are the same mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import TOP, run

DIAGNOSIS = ("compare", "diagnose", "mistakes", "narrow", "room", "where")
SOURCES = [
    *(f"common/diagnosis/{name}.c" for name in DIAGNOSIS),
    *(f"common/{name}.c" for name in ("base", "fill", "verify", "tolerance")),
    *("common/large/freivalds.c", "common/session/shapes.c", "tests/common/rows.c"),
]
FLAGS = ("-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-D_XOPEN_SOURCE=700", "-Dreal=float")


def named(folder: Path, table: str, *words: str) -> list[str]:
    """The lines that rows.c prints, with this table."""
    (folder / "diagnosis").mkdir()
    (folder / "diagnosis/mistakes.def").write_text(table, encoding="utf-8")
    # Its own folder first: mistakes.c includes the table by the name of its folder.
    include = [f"-I{folder}", f"-I{TOP / 'common'}"]
    built = run(["cc", *FLAGS, *include, "-o", "rows", *(TOP / s for s in SOURCES), "-lm"], folder)
    assert built.status == 0, built.text
    return run([folder / "rows", *words], folder).out.splitlines()


@pytest.fixture(scope="module")
def table() -> str:
    return (TOP / "common/diagnosis/mistakes.def").read_text(encoding="utf-8")


def test_each_row_is_named_and_no_other(tmp_path: Path, table: str) -> None:
    *others, summary = named(tmp_path, table)
    assert others == []
    right, _, count, *_ = summary.split()
    assert right == count and int(count) > 700


def test_two_rows_that_are_one_mistake_are_found(tmp_path: Path, table: str) -> None:
    twin = 'COUNT(k, 1, k > 0 && k < K, "one more name")\n'
    *others, _ = named(tmp_path, f"{table}{twin}", "first tile")
    assert "'one more name' is taken for 'none'" in others[-1]
    assert any("'the first k is missing" in line for line in others)
