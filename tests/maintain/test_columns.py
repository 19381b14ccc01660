# SPDX-License-Identifier: MIT
"""What people write has lines of 100 columns at most: sources and pages alike (Python: ruff sees to
it). Longer may be what a line break would change: a row of a table and a link in a page, what
stands in $( ) of make, where a break is a blank, and a line of a broken kernel, which stands for
one of the source. Data, and what tools write, have rows and not lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.copies import sources
from tests.support import TOP

COLUMNS = 100
DATA = (".csv", ".ipynb", ".json", ".png", ".svg", ".tsv", ".txt")
WRITTEN = [name for name in sources() if not name.endswith((*DATA, ".py"))]


def in_make(line: str) -> str:
    """What of it may be broken: without what stands in $( ), and without the name that is set."""
    before = ""
    while before != line:
        before, line = line, re.sub(r"\$\([^()]*\)", "@", line)
    return re.sub(r"^\s*\S+ *[:?+]?= *", "", line).strip()


def must_be_long(name: str, line: str) -> bool:
    if name.endswith(".md"):
        link = re.fullmatch(r" *(?:[-*] )?(?:!\[.*\]\(\S+\)|\S*(?://|\]\()\S*)", line)
        return line.startswith("|") or link is not None
    if name.endswith((".mk", "Makefile")):
        return " " not in in_make(line)
    return name.startswith("tests/mutants/") and line.startswith(("+", "-", "cause"))


def too_long(name: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS and not must_be_long(name, line):
            yield f"{name}:{number}: {len(line)} columns"


@pytest.mark.parametrize("name", WRITTEN)
def test_no_line_is_too_long(name: str) -> None:
    assert list(too_long(name, (TOP / name).read_text(encoding="utf-8"))) == []


LONG = "word " * 20 + "word"  # 104


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("README.md", LONG),
        ("lab.h", f"// {LONG}"),
        ("lab.mk", f"# {LONG}"),
        ("tests/mutants/cpu", f"breaks    {LONG}"),
    ],
)
def test_a_line_that_is_too_long_is_seen(name: str, line: str) -> None:
    assert list(too_long(name, f"{line}\n")) == [f"{name}:1: {len(line)} columns"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("README.md", f"| {LONG} |"),
        ("lab.mk", f"main = build/main$(if $(filter cl,$(ext)),{LONG}).o"),
        ("tests/mutants/cpu", f"+    {LONG}"),
        ("README.md", LONG[:100]),
    ],
)
def test_a_line_that_a_break_would_change(name: str, line: str) -> None:
    assert list(too_long(name, f"{line}\n")) == []
