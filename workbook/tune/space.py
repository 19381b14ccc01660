# SPDX-License-Identifier: MIT
"""Which settings there are to try: some values of each tunable, in all combinations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import gcd, prod

from workbook import UserError
from workbook.lab.labs import Lab, Program, Range

Point = tuple[int, ...]  # a value of each tunable
GOLDEN = 0.618  # of all points, from one to the next


@dataclass(frozen=True)
class Space:
    names: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]  # of each, ascending
    defaults: Point

    def words(self, point: Point) -> list[str]:
        return [f"{name}={value}" for name, value in zip(self.names, point)]

    def others(self, point: Point) -> list[str]:
        """Those that are not the defaults."""
        return [word for word in self.words(point) if word not in self.words(self.defaults)]

    def point(self, words: list[str]) -> Point:
        return tuple(int(word.partition("=")[2]) for word in words)

    def points(self) -> Iterator[Point]:
        """The defaults, then all of them, in an order in which those that follow each other lie far
        apart."""
        yield self.defaults
        size = prod(map(len, self.values))
        step = next(step for step in count(int(GOLDEN * size) or 1) if gcd(step, size) == 1)
        for number in range(size):
            yield self._at(number * step % size)

    def _at(self, number: int) -> Point:
        point = []
        for values in self.values:
            number, place = divmod(number, len(values))
            point.append(values[place])
        return tuple(point)


def whole(text: str) -> bool:
    return re.fullmatch(r"\d{1,9}", text, re.ASCII) is not None


def space_of(lab: Lab, program: Program, given: list[str]) -> Space:
    """What the lab's Makefile says in TUNE; otherwise of each tunable its default, half and double
    of it, and so on, and what SWEEP names. What is given on the command line, or by DEFS_VARIANT
    alone, is left out."""
    said, swept = tune_of(lab, program), sweep_of(program)
    own = {**dict(lab.defaults), **dict(word.split("=", 1) for word in program.settings)}
    settled = {word.partition("=")[0] for word in program.settings} - set(swept)
    fixed = {word.partition("=")[0] for word in given}
    found: dict[str, tuple[int, ...]] = {}
    for tunable in lab.ranges:
        name = tunable.name
        if name in fixed or not whole(own[name]) or name not in said and (said or name in settled):
            continue
        values = said.get(name) or around(int(own[name]), tunable) | swept.get(name, set())
        found[name] = tuple(sorted(values | {int(own[name])}))
    return Space(tuple(found), tuple(found.values()), tuple(int(own[name]) for name in found))


def tune_of(lab: Lab, program: Program) -> dict[str, set[int]]:
    """GROUP_X=8,16 for each name."""
    said = {}
    for word in program.tune:
        name, _, values = word.partition("=")
        if name not in lab.tunables:
            raise UserError(
                f"TUNE: {word}: {lab.name} has no tunable {name}; there are {names(lab)}"
            )
        if not all(map(whole, values.split(","))):
            raise UserError(
                f"TUNE: {word}: give whole numbers with commas between, as {name}=4,8,16"
            )
        said[name] = set(map(int, values.split(",")))
    return said


def names(lab: Lab) -> str:
    return ", ".join(tunable.name for tunable in lab.ranges) or "none"


def sweep_of(program: Program) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for name, value in (
        word.split("=", 1) for setting in program.sweep for word in setting.split(",")
    ):
        if whole(value):
            found.setdefault(name, set()).add(int(value))
    return found


def around(default: int, allowed: Range) -> set[int]:
    values = {
        default * 4,
        default * 2,
        default,
        *(default // n for n in (2, 4) if default % n == 0),
    }
    least, most = allowed.least or 0, allowed.most
    return {
        value
        for value in values
        if value >= least
        and (most is None or value <= most)
        and value % (allowed.multiple_of or 1) == 0
    }
