# SPDX-License-Identifier: MIT
"""The shape of an array: of A, B and C from the problem, of one in shared memory from its
declaration, in which the compiler puts numbers for names."""

from __future__ import annotations

import ast
import operator
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workbook.core.process import run
from workbook.profile.source import COMMENT

LIMIT = 60.0  # seconds
OPERATORS = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul},
    **{ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod},
    **{ast.LShift: operator.lshift, ast.RShift: operator.rshift},
}
MARK = "size_of_array"


@dataclass(frozen=True)
class Shape:
    rows: int
    columns: int
    ld: int  # elements from a row to the next
    pad: int = 0


def of_matrix(name: str, problem: dict[str, int]) -> Shape | None:
    """Of A, B and C as the labs have them."""
    sizes = {"A": ("M", "K"), "B": ("K", "N"), "C": ("M", "N")}.get(name)
    return Shape(problem[sizes[0]], problem[sizes[1]], problem[sizes[1]]) if sizes else None


class Numbers:
    """What names and expressions of a kernel are as numbers, with the settings that it is built
    with."""

    def __init__(self, folder: Path, source: str, defines: list[str]) -> None:
        self.folder = folder
        self.code = COMMENT.sub("", source)
        directives = re.compile(r"\s*#\s*(define|undef|if|el|end)")
        own = [line for line in source.splitlines() if directives.match(line)]
        self.text = "\n".join(own)
        self.command = ["cc", "-E", "-P", "-w", "-x", "c", "-include", "params.h", *defines, "-"]

    def of(self, expressions: list[str]) -> list[int | None]:
        asked = "".join(f"\n{MARK} {one}" for one in expressions)
        with tempfile.TemporaryFile() as text:
            text.write(f"{self.text}{asked}\n".encode())
            text.seek(0)
            said = run(self.command, self.folder, LIMIT, given=text).out
        found = re.findall(rf"{MARK}(.*)", said)
        return [number(one) for one in found] + [None] * (len(expressions) - len(found))

    def shape(self, name: str) -> Shape | None:
        """Of an array that is declared with its sizes; a PAD that is in the last is padding."""
        declared = re.search(rf"\b{re.escape(name)}((?:\s*\[[^\]]+\])+)\s*[;,]", self.code)
        if not declared:
            return None
        sizes = re.findall(r"\[([^\]]+)\]", declared[1])
        pads = [word for word in re.findall(r"\w+", sizes[-1]) if "PAD" in word.upper()]
        *numbers, pad = self.of([*sizes, pads[0] if pads else "0"])
        known = [one for one in numbers if one is not None]
        if len(known) < len(numbers) or pad is None:
            return None
        rows = 1
        for size in known[:-1]:
            rows *= size
        return Shape(rows, known[-1] - pad, known[-1], pad)


def number(text: str) -> int | None:
    """Of a whole number's expression; None of any other."""
    try:
        return value(ast.parse(text.strip().replace("/", "//"), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, KeyError):
        return None


def value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp):
        return int(OPERATORS[type(node.op)](value(node.left), value(node.right)))
    raise ValueError
