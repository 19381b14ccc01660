# SPDX-License-Identifier: MIT
"""What make baseline prints, made of the programs of its record."""

from __future__ import annotations

from typing import Any

from workbook.ladder import short
from workbook.limits import Shape, shape_name
from workbook.meter import fit
from workbook.program import PASS
from workbook.text import wrap

ROW = "{:<23}{:<9}{:>8}{:>8}{:>9}  {}"


def label(program: dict[str, Any]) -> str:
    return ", ".join(filter(None, (program["lab"], program["variant"])))


def means(program: dict[str, Any]) -> str:
    return program["rounding"] or program["instructions"] or ""


def shape_of(size: dict[str, Any]) -> Shape:
    return size["M"], size["N"], size["K"]


def row(program: dict[str, Any], shape: Shape) -> str:
    found = next((size for size in program["sizes"] if shape_of(size) == shape), None)
    name = fit(label(program), 22)
    if found is None:
        return ROW.format(name, means(program), program["verdict"], "", "", "")
    spread = "-" if found["spread"] is None else f"{100 * found['spread']:.0f} %"
    if found["share"] is None:
        share, of = "-", "no library here"
    elif found["of"] == label(program):
        share, of = "", "the best here"
    else:
        share, of = f"{100 * found['share']:.1f} %", f"of {found['of']}"
    return ROW.format(name, means(program), short(found["gflops"]), spread, share, of)


def table(programs: list[dict[str, Any]], shape: Shape) -> str:
    """Of one backend at one shape."""
    first = programs[0]
    device = next((program["device"] for program in programs if program["device"]), "")
    square = "N=" if len(set(shape)) == 1 else ""
    title = wrap(f"{first['backend']}, {square}{shape_name(*shape)}: {device}", "", "  ")
    head = ROW.format("", "", "GFLOP/s", "spread", "share", "")
    return "\n".join(line.rstrip() for line in [*title, head, *(row(program, shape) for program in programs)])


def told(programs: list[dict[str, Any]]) -> list[str]:
    """Why some have no times."""
    failed = [program for program in programs if program["verdict"] != PASS]
    return [line for program in failed for line in wrap(f"{label(program)}: {program['reason']}", "", "  ")]
