# SPDX-License-Identifier: MIT
"""Every command in the table of docs/sources.md runs, at a small size, and says what the table says
that there is to see."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import TOP, needs_avx512, run
from workbook.lab.labs import describe, ladder

ROW = re.compile(r"^\| (the [\w ]+) \| ([^|]+) \| `(make [^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
PAGE = (TOP / "docs/sources.md").read_text(encoding="utf-8")
ROWS = ROW.findall(PAGE)
SOURCES = re.findall(r"^\| (the [\w ]+) \| [^|]*[\u0400-\u04ff\u4e00-\u9fff]", PAGE, re.MULTILINE)
SPEED = ("speed", "requested", "total", "GOP/s", "GFLOP/s")


def small(command: str) -> str:
    """The same at a size that does not take long."""
    if "SIZES=" in command:
        return re.sub(r'SIZES="[^"]*"', "SIZES=32", command)
    return re.sub(r" SIZE=\d+|$", " SIZE=48", command, count=1)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_it_runs_and_shows_that(tree: Path, row: tuple[str, str, str, str]) -> None:
    _, _, command, shows = row
    said = run(small(command), tree)
    assert said.status == 0, said.text
    needs_avx512(said)
    assert shows in said.out or (shows in SPEED and "too noisy to tell" in said.out), said.text


def test_every_source_has_its_experiments() -> None:
    assert len(SOURCES) == 5
    assert {source for source, *_ in ROWS} == set(SOURCES)
    table = PAGE.partition("## Every experiment")[2].partition("\n## ")[0]
    assert len(ROWS) == len(re.findall(r"^\| the ", table, re.MULTILINE)) > 30


def test_every_variant_that_repeats_an_experiment_is_in_the_table() -> None:
    commands = " ".join(command for *_, command, _ in ROWS) + " "
    labs = [describe(str(path), []) for path in ladder()]
    names = [(lab, program) for lab in labs for program in lab.programs if program.experiment]
    assert len(names) >= 6
    for lab, program in names:
        assert re.search(rf"{lab.name} \w+ VARIANT={program.variant}\b", commands), program
        assert f"`{program.variant}`" in (lab.path / "README.md").read_text(encoding="utf-8")
