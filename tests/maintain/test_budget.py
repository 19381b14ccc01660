# SPDX-License-Identifier: MIT
"""budget.tsv: no part of the workbook grows without a decision."""

from __future__ import annotations

import re

import pytest

from tests.copies import TOP, sources

NO_TEXT = re.compile(r"requirements[^/]*\.txt$|\.(svg|png|pdf)$")
ROWS = [
    line.split("\t")
    for line in (TOP / "budget.tsv").read_text().splitlines()
    if not line.startswith("#")
]
SLACK = 0.95  # of a limit: a part with fewer lines has a lower one


def lines(part: str) -> int:
    folders = tuple(f"{folder}/" for folder in part.split())
    every = [name for name in sources() if not NO_TEXT.search(name)]
    ours = every if part == "everything" else [name for name in every if name.startswith(folders)]
    return sum((TOP / name).read_bytes().count(b"\n") for name in ours)


@pytest.mark.parametrize(("part", "limit", "goal"), ROWS, ids=[row[0] for row in ROWS])
def test_a_part_stays_within_its_budget(part: str, limit: str, goal: str) -> None:
    now = lines(part)
    print(f"{part}: {now} lines of {limit}, goal {goal}")
    assert SLACK * int(limit) < now <= int(limit), f"{part} has {now} lines, budget.tsv {limit}"


def test_everything_has_a_budget() -> None:
    assert {"everything", "common", "workbook", "tests"} <= {row[0] for row in ROWS}
