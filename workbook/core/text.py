# SPDX-License-Identifier: MIT
"""What is told in a terminal."""

from __future__ import annotations

import textwrap

WIDTH = 80  # columns


def plain(text: str) -> str:
    """One line of printable characters, whatever a kernel or a compiler wrote."""
    return " ".join("".join(c if " " <= c <= "~" else " " for c in text).split())


def wrap(text: str, first: str = "    ", then: str = "      ") -> list[str]:
    """Lines, with what stands before the first, and before the others: as a rule, under a row of a
    table."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False
    )


def printable(text: str) -> str:
    """One line in which no character commands a terminal, a page or a spreadsheet; letters of all
    languages stay."""
    return " ".join("".join(c if c.isprintable() else "?" for c in text.replace("\n", " ")).split())


def unit(type_: str) -> str:
    """Of speeds: of whole numbers no operation is one of floating point."""
    return "GOP/s" if type_ == "int" else "GFLOP/s"
