# SPDX-License-Identifier: MIT
"""What a prediction is off by, and why, where the number tells: against the formulas of "Predict
first", against what was counted (workbook/profile/reference.tsv), and against what make report
measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbook.measure.requested import bytes_for_each_multiply_add
from workbook.profile.asked import FLOAT, WARP, references

NEAR = 0.05  # of the right one: it was rounded
ALIKE = 0.02  # of what a mistake comes to
NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|(?:\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d+)?", re.I)
MEBI = 2**20 / 1e6


def number_in(said: str) -> float | None:
    """The first: of "about 1,048,576", of "0,25"."""
    found = NUMBER.search(said)
    if found is None:
        return None
    plain = re.sub(r",(?=\d{3}(?!\d))", "", found[0])
    return float(plain.replace(",", "."))


def right(lab: str, quantity: str, N: int) -> float | None:
    """None: nobody knows before it is measured."""
    counted = references().get((lab, ""), {})
    each = (
        FLOAT * counted["loads"]
        if "loads" in counted
        else bytes_for_each_multiply_add(lab, "", "float")
    )
    known = {
        "work": 2 * N**3 / 1e9,
        "bytes": 3 * FLOAT * N**2 / 1e6,
        "intensity": 2 * N / (3 * FLOAT),
        "requested": (each * N**3 + FLOAT * N**2) / 1e6 if each else None,
        "loads": counted.get("loads"),
        "sectors_a": counted.get("A"),
        "sectors_b": counted.get("B"),
    }
    return known.get(quantity) or None


def mistakes(lab: str, quantity: str, N: int) -> Iterator[tuple[float, str]]:
    """What one comes to, and what it is."""
    value = right(lab, quantity, N) or 0.0
    if quantity == "work":
        yield value / 2, "a multiply-add is two operations"
        yield value * 1e9, "that is in FLOP: a GFLOP is 10^9"
        yield value * 1e3, "that is in MFLOP: a GFLOP is 10^9"
    elif quantity in ("bytes", "requested"):
        yield value / FLOAT, "you counted elements: each has 4 bytes"
        yield value * 2, "a float has 4 bytes, not 8"
        yield value / MEBI, "that is in MiB: a MB is 10^6 bytes"
        yield value / 1e3, "that is in GB"
        yield value * 1e6, "that is in bytes"
    if quantity == "bytes":
        yield 2 / 3 * value, "C moves, too"
        yield 4 / 3 * value, "C is written, and need not be read"
        yield right(lab, "requested", N) or 0, "that is what the kernel requests, not each once"
    elif quantity == "requested":
        yield right(lab, "bytes", N) or 0, "that is each matrix once: the kernel requests more"
    elif quantity == "intensity":
        requested = right(lab, "requested", N)
        yield 2 * N**3 / 1e6 / requested if requested else 0, "that is of what the kernel requests"
        yield value / 2, "a multiply-add is two operations"
        yield value * FLOAT, "that is for each element: each has 4 bytes"
    elif quantity == "loads":
        yield 1 / value, "that is FMAs for each load"
        yield value * FLOAT, "that is in bytes"
        yield value * WARP, "that is of a warp, which has 32 FMAs as well"
    elif quantity.startswith("sectors"):
        yield WARP, "you counted lanes, not sectors"
        yield value / 4, "you counted lines of 128 bytes: a sector has 32"
        yield value * 8, "you counted elements: a sector holds eight"
        yield value * 32, "you counted bytes: a sector has 32"
        other = "sectors_b" if quantity == "sectors_a" else "sectors_a"
        yield right(lab, other, N) or 0, f"that is what a load of {other[-1].upper()} needs"


def judged(lab: str, quantity: str, N: int, said: str, measured: str) -> str:
    """Of a number that somebody said; nothing where nobody knows yet."""
    guess, value = number_in(said), right(lab, quantity, N)
    if guess is None:
        return ""
    if value is None:
        wide = measured.strip().startswith("(")  # its spread is too wide to compare it
        return "" if wide else beside(guess, number_in(measured))
    if is_near(guess, value, NEAR):
        return "right" if guess == value else f"right: it is {value:.4g}"
    why = next(
        (why for wrong, why in mistakes(lab, quantity, N) if is_near(guess, wrong, ALIKE)), ""
    )
    off = f"off by {max(guess / value, value / guess):.3g}" if guess else "not right"
    return f"{off}{': ' if why else ''}{why}; it is {value:.4g}"


def is_near(a: float, b: float, part: float) -> bool:
    return abs(a - b) <= part * b


def beside(guess: float, measured: float | None) -> str:
    if not measured:
        return ""
    if is_near(guess, measured, 2 * NEAR):
        return f"near what was measured, which is {measured:.4g}"
    return f"{guess / measured:.3g} times what was measured, which is {measured:.4g}"
