# SPDX-License-Identifier: MIT
"""Closed formulas beside what is counted: formulas.tsv."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

FORMULAS = Path(__file__).with_name("formulas.tsv")


@dataclass(frozen=True)
class Formula:
    lab: str
    variant: str
    level: str
    accesses: str  # "B load, block store"
    text: str
    label: str

    def takes(self, array: str, writes: bool) -> bool:
        kind, other = ("store", "load") if writes else ("load", "store")
        terms = [term.split() for term in self.accesses.split(",")]
        return any(array in term and (kind in term or other not in term) for term in terms)

    @property
    def shown(self) -> str:
        """8·M·N·K, ⌈N/8⌉"""
        return re.sub(r"ceil\(([^()]*)\)", r"⌈\1⌉", self.text).replace("*", "·")

    def value(self, numbers: dict[str, int]) -> int | None:
        """None if one of its names has no number here. The text is the workbook's own."""
        names = {name: Fraction(number) for name, number in numbers.items()}
        try:
            found = Fraction(eval(self.text, {"ceil": math.ceil}, names))
        except (NameError, ZeroDivisionError):
            return None
        return int(found) if found.denominator == 1 else None


@cache
def every() -> tuple[Formula, ...]:
    lines = FORMULAS.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return tuple(Formula(lab, variant.strip("-"), *rest) for lab, variant, *rest in rows)


def of_program(lab: str, variant: str) -> list[Formula]:
    return [one for one in every() if (one.lab, one.variant) == (lab, variant)]
