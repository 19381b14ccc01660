# SPDX-License-Identifier: MIT
"""How fast a kernel was measured, with the machine, and nothing else: from figures/."""

from __future__ import annotations

from typing import Any

from workbook import TOP
from workbook.core import records
from workbook.lab.labs import Lab, Program
from workbook.lab.stages import ANSWERS, bare, text_of

OTHER = "figures/ has the speed of the workbook's kernel, which this is not: make run measures it."
NO_SPEED = "figures/ has no speed of this kernel: make run measures it."


def speed(lab: Lab, program: Program, settings: list[str]) -> dict[str, Any]:
    """What was measured of it; or why nothing was."""
    why = unmeasured(lab, program, settings)
    found = [] if why else points(lab.name, program.variant)
    return {"measured": found, "unmeasured": why or (None if found else NO_SPEED)}


def unmeasured(lab: Lab, program: Program, settings: list[str]) -> str | None:
    """Figures are of the workbook's kernels with float and the defaults; the small tiles with which
    a page is recorded say nothing against them."""
    tunables = [one for one in settings if one.partition("=")[0] in lab.tunables]
    if given := [one for one in tunables if one not in lab.page]:
        said = " ".join(given)
        return f"Not measured with {said}: figures/ has speeds with the default settings."
    if lab.type != "float":
        return f"Not measured with {lab.type}: figures/ has speeds with float."
    return None if is_measured_kernel(lab, program) else OTHER


def is_measured_kernel(lab: Lab, program: Program) -> bool:
    kernel = lab.path / program.kernel
    answer = ANSWERS / lab.name / kernel.name
    if program.variant or not answer.is_file():  # nobody is to write it
        return True
    return kernel.is_file() and bare(text_of(kernel)) == bare(text_of(answer))


def points(lab: str, variant: str) -> list[dict[str, Any]]:
    """Of each machine the largest size."""
    found = []
    for path in sorted((TOP / "figures").glob("*.json")):
        rows = [
            row
            for row in records.read(path, records.FIGURES)["figures"]
            if (row["lab"], row["variant"], row["right"]) == (lab, variant, True)
        ]
        if rows:
            best = max(rows, key=lambda row: int(row["size"]))
            about = {name: best[name] for name in ("gflops", "device")}
            source = str(path.relative_to(TOP))
            found.append({**about, "N": int(best["size"]), "source": source})
    return found


def rounded(number: float) -> float:
    """To three digits."""
    return float(f"{number:.3g}")


def digits(number: float) -> str:
    """Three of them, and no more zeros than it takes: 12,300; 85.8; 2."""
    return f"{rounded(number):,.10g}"


def sentence(one: dict[str, Any]) -> str:
    """Of a recording: the fastest of its speeds."""
    if one["unmeasured"]:
        return str(one["unmeasured"])
    best = max(one["measured"], key=lambda point: float(point["gflops"]))
    return f"Measured {digits(best['gflops'])} GFLOP/s ({where(best)})."


def where(point: dict[str, Any]) -> str:
    return f"N = {point['N']}, {point['device']}, default settings; {point['source']}"
