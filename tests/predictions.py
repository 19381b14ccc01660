# SPDX-License-Identifier: MIT
"""The table of "Predict first" in a lab's README: a formula of M, N and K gives the value beside it
for M = N = K = 1024, and "(lab 04: 2)" is what that lab's table has."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

UNIT = {"FLOP": 1.0, "GFLOP": 1e9, "MB": 1e6, "GB": 1e9, "FLOP/byte": 1.0, "bytes": 1.0, "": 1.0}
SIGNS = {"·": "*", "⌈": "ceil(", "⌉": ")", "²": "**2", "³": "**3", "√": "sqrt"}
Wrong = tuple[
    int, "str | None"
]  # line number and what is wrong there; None for a value that is right


def formula(words: str, sizes: dict[str, int] | None = None) -> float | None:
    """The value of a formula, for these M, N and K; None where it is one in words."""
    for sign, python in SIGNS.items():
        words = words.replace(sign, python)
    plain = re.sub(r" of [AB]\b|, for .*", "", words)
    plain = re.sub(r"\b[MNK]\b", lambda name: str((sizes or {}).get(name[0], 1024)), plain)
    if not re.fullmatch(r"(?:ceil|sqrt|[\d.+*/() -])+", plain):
        return None
    return float(eval(plain, {"ceil": math.ceil, "sqrt": math.sqrt}))


def rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row of the table."""
    inside = False
    for n, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            inside = line == "## Predict first"
        if inside and line.startswith("|") and not line.startswith(("|---", "| | formula")):
            yield n, [part.strip() for part in line.strip("|").split("|")]


def first_word(label: str) -> str:
    return label.split()[0].strip(",")


def in_other_lab(top: Path, lab: str, label: str) -> list[str]:
    """The values of the row of that name there."""
    pages = [page.read_text(encoding="utf-8") for page in top.glob(f"lab{lab}_*/README.md")]
    others = [row for page in pages for _, row in rows(page) if row[2]]
    return [row[2].split()[0] for row in others if first_word(row[0]) == first_word(label)]


def check_row(label: str, formulas: str, values: str) -> Iterator[str | None]:
    for words, value in zip(formulas.split(";"), values.split(";")):
        shown = re.fullmatch(r"(>?) ?([\d.,]+) ?(.*)", value.strip())
        if shown and not words.strip():
            yield f'"{label}": {value} has no formula'
        computed = formula(words)
        if not shown or shown[3] not in UNIT or computed is None:
            continue
        number = shown[2].replace(",", "")
        step = 10.0 ** -len(number.partition(".")[2]) * UNIT[shown[3]]
        is_right = abs(computed - float(number) * UNIT[shown[3]]) <= 0.51 * step
        yield (
            None
            if is_right
            else f'"{label}": {words.strip()} is {computed:.6g}, not {value.strip()}'
        )


def check_predictions(top: Path, text: str) -> Iterator[Wrong]:
    for n, row in rows(text):
        label, formulas, values = (*row, "", "")[:3]
        for wrong in check_row(label, formulas, values):
            yield n, wrong
        for lab, value in re.findall(r"\(lab (\d+): ([\d.]+)\)", label):
            there = in_other_lab(top, lab, label)
            if float(value) not in [float(x) for x in there if re.fullmatch(r"[\d.]+", x)]:
                yield (
                    n,
                    f'"{label}": the table of lab {lab} has {", ".join(there) or "no such row"}',
                )
