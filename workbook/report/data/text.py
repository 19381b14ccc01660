# SPDX-License-Identifier: MIT
"""Numbers and tables as a report shows them, in Markdown."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence

PAGE = 104  # characters that fit across a page, also of A4 paper
EDGES = 3  # characters, of each column
WRAPPED = 24  # a column of words is at most this wide


def figure(x: float, digits: int = 3) -> str:
    """So many significant digits, none of them as 1e+05."""
    if x == 0:
        return "0"
    places = next(
        (places for places in range(digits + 1) if x >= 10 ** (digits - 1 - places)), digits + 1
    )
    return f"{x:.{places}f}"


def short(x: float) -> str:
    """Three digits or so."""
    return figure(x) if x >= 1 else f"{x:.2f}" if x >= 0.1 else f"{x:.2g}"


def percent(x: float) -> str:
    return f"{x:.0f} %"


def wide_if(is_wide: bool, text: str) -> str:
    """In parentheses, if its spread is too wide to compare it."""
    return f"({text})" if is_wide else text


def times(x: float, y: float) -> str:
    """How many times y goes into x, where both were measured."""
    return figure(x / y) if x > 0 and y > 0 else "-"


def plain(text: str) -> str:
    """What a compiler or a driver says may be anything, in Markdown and HTML as well."""
    return re.sub(r"[<*`|]", r"\\\g<0>", re.sub("--+", "-", text))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, keys: int | None = None
) -> str:
    """A table whose first columns are words, to the left, and the others numbers. If it is wider
    than a page, it becomes several, each with the first `keys` columns (those of words)."""
    lines = [head, *rows]
    first = left if keys is None else keys
    names, others = list(range(first)), list(range(first, len(head)))
    parts = [[*names, *others]]
    for count in range(1, len(others) + 1):
        size = -(-len(others) // count)
        parts = [[*names, *others[n : n + size]] for n in range(0, len(others), size)]
        if max(width(lines, part, left) for part in parts) <= PAGE:
            break
    return "\n".join(one_table([[row[n] for n in part] for row in lines], left) for part in parts)


def one_table(lines: Sequence[Sequence[str]], left: int) -> str:
    rule = ["---" if n < left else "---:" for n in range(len(lines[0]))]
    head, *rows = [f"| {' | '.join(row)} |" for row in lines]
    return "\n".join([head, f"|{'|'.join(rule)}|", *rows]) + "\n"


def width(lines: Sequence[Sequence[str]], columns: Sequence[int], left: int) -> int:
    """Characters of these columns. Words and heads may wrap, numbers may not."""
    head, *rows = lines
    total = 0
    for n in columns:
        cells = [len(row[n]) for row in rows]
        words = [len(word) for word in head[n].split()]
        total += EDGES + max(
            [*(min(cell, WRAPPED) if n < left else cell for cell in cells), *words]
        )
    return total


class Notes:
    """Why cells are empty: a letter in the cell, and the reason below the table."""

    def __init__(self) -> None:
        self.letters: dict[str, str] = {}

    def of(self, reason: str) -> str:
        if reason == "":
            return "-"
        return self.letters.setdefault(reason, f"({letter(len(self.letters))})")

    def __str__(self) -> str:
        return "".join(f"\n{letter} {reason}\n" for reason, letter in self.letters.items())


def letter(n: int) -> str:
    """a, b, ... z, aa, ab ..."""
    before = letter(n // 26 - 1) if n >= 26 else ""
    return before + string.ascii_lowercase[n % 26]
