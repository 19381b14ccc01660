# SPDX-License-Identifier: MIT
"""The figures that a README may speak of. A cell is a speed: LAB [VARIANT] NAME SIZE, from
figures/NAME.json; LAB [VARIANT] NAME.demo, from the transcript of make demo; peak LAB NAME, what
100 % is in the transcript figures/NAME.LAB.txt."""

from __future__ import annotations

import json
import re
from pathlib import Path

CELL = re.compile(r"(?:(peak) )?(lab\d+)(?: ([a-z]\w*))? ([a-z][\w.-]*)(?: (\d+))?")


class Unsupported(Exception):
    """Why a claim cannot be looked up."""


def read(top: Path, name: str) -> str:
    try:
        return (top / name).read_text(encoding="utf-8")
    except OSError as error:
        raise Unsupported(f"no {name} ({error.strerror})") from error


def peak_of(top: Path, lab: str, name: str) -> str | None:
    for path in (top / "figures").glob(f"{name}.{lab}_*.txt"):
        speed = re.search(r"speed +(\S+) GFLOP/s = (\S+) %", path.read_text(encoding="utf-8"))
        return repr(float(speed[1]) / float(speed[2]) * 100) if speed else None
    return None


def speed_in_demo(top: Path, lab: str, variant: str | None, name: str) -> str | None:
    of = ""  # the lab that this line is about
    for line in read(top, f"figures/{name}.txt").splitlines():
        words = line.split() or [""]
        of = of if line.startswith("  ") else words[0]
        if of.startswith(f"{lab}_") and words[0] == (variant or of):
            speed = re.search(r" m?s +([\d.]+) ", line)
            return speed[1] if speed else None
    return None


def speed_in_table(
    top: Path, lab: str, variant: str | None, name: str, size: str | None
) -> str | None:
    for row in json.loads(read(top, f"figures/{name}.json"))["figures"]:
        of = row["lab"].startswith(f"{lab}_") and row["variant"] == (variant or "")
        if of and row["size"] == size and row["right"]:
            return repr(row["gflops"])
    return None


def look_up(top: Path, cell: re.Match[str]) -> str:
    """The figure that a cell names, as text."""
    peak, lab, variant, name, size = cell.groups()
    if peak:
        found = peak_of(top, lab, name) if not (variant or size) else None
    elif name.endswith(".demo"):
        found = speed_in_demo(top, lab, variant, name) if not size else None
    else:
        found = speed_in_table(top, lab, variant, name, size)
    if not found:
        raise Unsupported(f'figures/ has no "{cell[0]}"')
    return found


def has_cell(expression: str) -> bool:
    return CELL.search(expression) is not None


def evaluate(top: Path, expression: str) -> float:
    """Of cells and plain numbers; a comparison gives True or False."""
    plain = CELL.sub(lambda cell: look_up(top, cell), expression)
    if not re.fullmatch(r"[\d.e+*/()<> -]+", plain):
        raise Unsupported(f'"{expression}" is neither cells nor numbers')
    try:
        value: float = eval(plain)  # digits, operators and parentheses
    except (SyntaxError, ZeroDivisionError, TypeError) as error:
        raise Unsupported(f'"{expression}" cannot be computed') from error
    return value
