# SPDX-License-Identifier: MIT
"""Numbers and tables as a report shows them, in Markdown."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence


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


def times(x: float, y: float) -> str:
    """How many times y goes into x, where both were measured."""
    return figure(x / y) if x > 0 and y > 0 else "-"


def plain(text: str) -> str:
    """What a compiler or a driver says may be anything, in Markdown and HTML as well."""
    return re.sub(r"[<*`|]", r"\\\g<0>", re.sub("--+", "-", text))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table whose first columns are words, to the left, and the others numbers."""
    rule = ["---" if n < left else "---:" for n in range(len(head))]
    lines = [f"| {' | '.join(row)} |" for row in [head, *rows]]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]]) + "\n"


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
