# SPDX-License-Identifier: MIT
"""Machine code as a list of instructions, each with its place, the line that it comes from and
where it may jump; and of its loops the one that does the arithmetic."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Instruction:
    text: str  # as it was printed
    label: str = ""  # by which others jump here
    target: str = ""  # where it may jump
    line: int = 0  # of the kernel; 0: of none
    executed: bool = True  # a line that is only a label is not


@dataclass(frozen=True)
class Loop:
    instructions: Sequence[Instruction]
    work: int  # multiply-adds per iteration
    lines: tuple[int, ...]  # of the kernel, that these come from

    @property
    def length(self) -> int:
        return sum(instruction.executed for instruction in self.instructions)

    def summary(self, kernel: str) -> str:
        place = ""
        if self.lines:
            first, last = min(self.lines), max(self.lines)
            place = f"{kernel}:{first}" + (f"-{last}" if last > first else "") + ", "
        return f"{place}{self.work} multiply-add{'s' if self.work > 1 else ''} per iteration"


FLOATS = re.compile(r"[ \t]v?(mul|fn?m(add|sub)[0-9]+)([sp])([sd]) ")
INTEGERS = re.compile(r"[ \t]v?pmulld ")
PTX_FLOATS = re.compile(r"[ \t](fma|mul|mad)([.][a-z]+)*[.]f(32|64)")
PTX_TENSOR = re.compile(r"[ \t](?:wmma[.])?mma[.].*?[.]m(\d+)n(\d+)k(\d+)[.]")
ONE_ADDITION = re.compile(r"[ \t]v?adds[sd] ")
ONE_INTEGER = re.compile(r"[ \t](imul |mad[.]lo[.]s32|mul[.]lo[.]s32)")


def multiply_adds(text: str, integers: bool) -> int:
    """How many this instruction does, of which a register of 8 lanes does 8, and of what a warp has
    tensor cores multiply a thread does a 32nd. Integers are counted where nothing else is
    multiplied, as they are addresses otherwise."""
    wide = 64 if "zmm" in text else 32 if "ymm" in text else 16  # bytes
    if integers:
        return wide // 4 if INTEGERS.search(text) else int(bool(ONE_INTEGER.search(text)))
    if found := PTX_TENSOR.search(text):
        return math.prod(map(int, found.groups())) // 32
    if found := FLOATS.search(text):
        return 1 if found[3] == "s" else wide // (8 if found[4] == "d" else 4)
    return int(bool(PTX_FLOATS.search(text)))


def lanes(loop: Loop) -> float:
    """Multiply-adds per instruction. Where a compiler multiplies in vectors
    and adds in order, one by one, it is the additions that count."""
    texts = [instruction.text for instruction in loop.instructions]
    many = sum(bool(FLOATS.search(text)) for text in texts)
    return loop.work / max(many, sum(bool(ONE_ADDITION.search(text)) for text in texts))


def innermost(code: Sequence[Instruction]) -> list[tuple[int, int]]:
    """First and last of each loop that holds no other: the last jump back to where it begins is its
    end."""
    place = {instruction.label: n for n, instruction in enumerate(code) if instruction.label}
    ends: dict[int, int] = {}
    for end, instruction in enumerate(code):
        start = place.get(instruction.target, end) if instruction.target else end
        if start < end:
            ends[start] = end
    return sorted(
        (start, end)
        for start, end in ends.items()
        if not any(start < inner < end and ends[inner] <= end for inner in ends)
    )


def loops(code: Sequence[Instruction]) -> list[Loop]:
    """Those that multiply, in their order."""
    for integers in False, True:
        found = []
        for start, end in innermost(code):
            body = code[start : end + 1]
            work = [multiply_adds(instruction.text, integers) for instruction in body]
            lines = {
                instruction.line
                for instruction, many in zip(body, work)
                if many and instruction.line
            }
            if sum(work):
                found.append(Loop(body, sum(work), tuple(sorted(lines))))
        if found:
            return found
    return []


def main_loop(found: Sequence[Loop]) -> Loop:
    """That with the most work. Copies that a compiler makes of a loop may have no lines: the one
    that has them comes first, and of several the shortest."""
    return max(found, key=lambda loop: (loop.work, bool(loop.lines), -loop.length))
