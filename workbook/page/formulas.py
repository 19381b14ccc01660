# SPDX-License-Identifier: MIT
"""Closed formulas beside what is counted: formulas.tsv, and what must move once at least."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from workbook.lab.labs import Lab
from workbook.measure.requested import BYTES
from workbook.page.shapes import OPERATORS

FORMULAS = Path(__file__).with_name("formulas.tsv")
SIZE = 4  # bytes of an element, as the formulas have it
COMPULSORY = "4*(M*K + K*N + M*N)"
NONE_KEPT = "No closed formula of what this kernel requests is kept here."
Values = dict[str, int]


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

    def source(self, lab: Lab) -> str:
        readme = lab.path / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
        if f"\n| {self.label}" in text:
            return f"README.md of lab {lab.number}, Predict first"
        return "from the kernel's loops"

    def value(self, names: Values) -> int | None:
        """None where a name is no number here."""
        try:
            found = exact(ast.parse(self.text, mode="eval").body, names)
        except (KeyError, ZeroDivisionError):
            return None
        return int(found) if found == int(found) else None


def exact(node: ast.expr, names: Values) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Fraction(node.value)
    if isinstance(node, ast.Name):
        return Fraction(names[node.id])
    if isinstance(node, ast.Call):
        return Fraction(math.ceil(exact(node.args[0], names)))
    assert isinstance(node, ast.BinOp)
    left, right = exact(node.left, names), exact(node.right, names)
    if isinstance(node.op, ast.Div):
        return left / right
    return Fraction(OPERATORS[type(node.op)](left, right))


@cache
def every() -> tuple[Formula, ...]:
    lines = FORMULAS.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return tuple(Formula(lab, variant.strip("-"), *rest) for lab, variant, *rest in rows)


def of_program(lab: str, variant: str) -> Iterator[Formula]:
    yield Formula(
        lab, variant, "compulsory", "A B C", COMPULSORY, "compulsory traffic: each matrix once"
    )
    yield from (one for one in kept(lab, variant) if one.level != "none")


def kept(lab: str, variant: str) -> list[Formula]:
    return [one for one in every() if (one.lab, one.variant) == (lab, variant)]


def why_none(lab: Lab, variant: str) -> str | None:
    """Why there is no formula beside the compulsory traffic; None where there is one."""
    if BYTES[lab.type] != SIZE:
        return f"Closed formulas are kept for float, not for {lab.type}."
    found = kept(lab.name, variant)
    if any(one.level != "none" for one in found):
        return None
    return found[0].label if found else NONE_KEPT
