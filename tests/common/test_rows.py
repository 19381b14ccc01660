# SPDX-License-Identifier: MIT
"""Which cause is named of a C that no kernel had to compute.

rows.c computes C by each row of diagnosis/mistakes.def, at the first shape of a rehearsal at
which that is wrong, for the tiles of the labs: this row is named, and no other. Shapes that are
smaller than a tile tell less. There, some rows are the same mistake. pictures.c fills in C as
pictures.def says, for the causes that are no row."""

from __future__ import annotations

from pathlib import Path

from tests.support import TOP, run

DIAGNOSIS = ("compare", "diagnose", "likely_cause", "mistakes", "narrow", "signs", "where")
SOURCES = [
    *(f"diagnosis/{name}.c" for name in DIAGNOSIS),
    *(f"common/{name}.c" for name in ("fill", "time", "verify")),
    *("guest/room.c", "session/freivalds.c", "session/shapes.c"),
]
FLAGS = ("-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-D_XOPEN_SOURCE=700", "-Dreal=float")


def named(folder: Path, program: str, *words: str) -> list[str]:
    """The lines that it prints. A file in this folder is taken in place of one of ours."""
    include = [f"-I{folder}", f"-I{TOP / 'common'}", f"-I{TOP}"]
    sources = [TOP / source for source in (*SOURCES, f"tests/common/{program}.c")]
    built = run(["cc", *FLAGS, *include, "-o", program, *sources, "-lm"], folder)
    assert built.status == 0, built.text
    return run([folder / program, *words], folder).out.splitlines()


def test_each_row_is_named_and_no_other(tmp_path: Path) -> None:
    *others, summary = named(tmp_path, "rows")
    assert others == []
    right, _, count, *_ = summary.split()
    assert right == count and int(count) > 700


def test_two_rows_that_are_one_mistake_are_found(tmp_path: Path) -> None:
    table = (TOP / "diagnosis/mistakes.def").read_text(encoding="utf-8")
    twin = 'COUNT(k, 1, k > 0 && k < K, "one more name")\n'
    (tmp_path / "diagnosis").mkdir()
    (tmp_path / "diagnosis/mistakes.def").write_text(f"{table}{twin}", encoding="utf-8")
    *others, _ = named(tmp_path, "rows", "first tile")
    assert any("'one more name' is taken for" in line for line in others)
    assert any("'the first k is missing" in line for line in others)


def test_each_picture_is_named(tmp_path: Path) -> None:
    *others, summary = named(tmp_path, "pictures")
    assert others == []
    right, _, count, *_ = summary.split()
    assert right == count and int(count) > 60
