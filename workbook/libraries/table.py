# SPDX-License-Identifier: MIT
"""What make baseline prints, made of the programs of its record."""

from __future__ import annotations

from typing import Any

from workbook.core.progress_bar import fit
from workbook.core.text import wrap
from workbook.lab.limits import Shape, shape_name
from workbook.show.ladder import short

ROW = "{:<23}{:<9}{:>8}{:>8}{:>9}  {}"


def label(program: dict[str, Any]) -> str:
    return ", ".join(filter(None, (program["lab"], program["variant"])))


def means(program: dict[str, Any]) -> str:
    return program["rounding"] or program["instructions"] or ""


def shape_of(size: dict[str, Any]) -> Shape:
    return size["M"], size["N"], size["K"]


def found_at(program: dict[str, Any], shape: Shape, steady: bool) -> dict[str, Any] | None:
    size = next((size for size in program["sizes"] if shape_of(size) == shape), None)
    return size["steady"] if size and steady else size


def row(program: dict[str, Any], shape: Shape, steady: bool) -> str:
    found = found_at(program, shape, steady)
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


def tables(programs: list[dict[str, Any]], shape: Shape) -> str:
    """Of one backend at one shape; what launches back to back come to has a table of its own."""
    steady = [program for program in programs if found_at(program, shape, steady=True)]
    return table(programs, shape) + (f"\n\n{table(steady, shape, steady=True)}" if steady else "")


def table(programs: list[dict[str, Any]], shape: Shape, steady: bool = False) -> str:
    first = programs[0]
    device = next((program["device"] for program in programs if program["device"]), "")
    square = "N=" if len(set(shape)) == 1 else ""
    how = ", back to back" if steady else ""
    title = wrap(f"{first['backend']}, {square}{shape_name(*shape)}{how}: {device}", "", "  ")
    head = ROW.format("", "", "GFLOP/s", "spread", "share", "")
    rows = [row(program, shape, steady) for program in programs]
    return "\n".join(line.rstrip() for line in [*title, head, *rows])


def reasons(programs: list[dict[str, Any]]) -> list[str]:
    """Why some have no times."""
    failed = [program for program in programs if program["reason"]]
    return [
        line
        for program in failed
        for line in wrap(f"{label(program)}: {program['reason']}", "", "  ")
    ]
