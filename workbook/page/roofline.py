# SPDX-License-Identifier: MIT
"""Where a kernel lies below the roofline: what was measured, with its machine, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbook import TOP
from workbook.core import records
from workbook.lab.labs import Lab, Program
from workbook.lab.stages import ANSWERS, bare, text_of
from workbook.measure.requested import asked_of_memory

FIGURES = TOP / "figures"
OTHER = "figures/ has the speed of the workbook's kernel, which this is not: make run measures it."
NO_SPEED = "figures/ has no speed of this kernel: make run measures it."


def speed(lab: Lab, program: Program, settings: list[str]) -> dict[str, Any]:
    """Its roofline; or why it has none."""
    why = unmeasured(lab, program, settings)
    found = None if why else roofline(lab.name, program.variant)
    return {
        "roofline": found,
        "unmeasured": why or (None if found else NO_SPEED),
    }


def unmeasured(lab: Lab, program: Program, settings: list[str]) -> str | None:
    """Figures are of the workbook's kernels with float and the defaults; the small tiles with which
    a page is recorded say nothing against them."""
    tunables = [one for one in settings if one.partition("=")[0] in lab.tunables]
    given = [one for one in tunables if one not in lab.page]
    if given:
        return (
            f"Not measured with {' '.join(given)}: figures/ has speeds with the default settings."
        )
    if lab.type != "float":
        return f"Not measured with {lab.type}: figures/ has speeds with float."
    if not is_measured_kernel(lab, program):
        return OTHER
    return None


def is_measured_kernel(lab: Lab, program: Program) -> bool:
    kernel = lab.path / program.kernel
    answer = ANSWERS / lab.name / kernel.name
    if program.variant or not answer.is_file():  # nobody is to write it
        return True
    return kernel.is_file() and bare(text_of(kernel)) == bare(text_of(answer))


def roofline(lab: str, variant: str) -> dict[str, Any] | None:
    asked = asked_of_memory().get((lab, variant))
    found = [(path, records.read(path, records.FIGURES)) for path in sorted(FIGURES.glob("*.json"))]
    points = [one for path, record in found for one in points_of(path, record, lab, variant)]
    if not points or not asked:
        return None
    return {
        "intensity": asked.flop / asked.bytes,
        "what": asked.what,
        "points": points,
        "ceilings": [one for path, record in found for one in ceilings_of(path, record, lab)],
    }


def source(path: Path) -> str:
    return str(path.relative_to(TOP))


def points_of(path: Path, record: dict[str, Any], lab: str, variant: str) -> list[dict[str, Any]]:
    """The largest size."""
    rows = [row for row in record["figures"] if (row["lab"], row["variant"]) == (lab, variant)]
    sizes = {int(row["size"]): row for row in rows if row["right"]}
    if not sizes:
        return []
    largest = max(sizes)
    of = {name: sizes[largest][name] for name in ("gflops", "device")}
    return [{**of, "N": largest, "source": source(path)}]


def ceilings_of(path: Path, record: dict[str, Any], lab: str) -> list[dict[str, Any]]:
    device = next((row["device"] for row in record["figures"] if row["lab"] == lab), None)
    return [
        {
            **{name: one[name] for name in ("gflops", "gbs")},
            "device": device,
            "source": source(path),
        }
        for one in record["ceilings"]
        if one["lab"] == lab
    ]
