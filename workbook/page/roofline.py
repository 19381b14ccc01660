# SPDX-License-Identifier: MIT
"""Where a lab lies below the roofline: what was measured, with its machine, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from workbook import TOP
from workbook.lab.labs import Lab
from workbook.lab.stages import ANSWERS, bare, text_of
from workbook.measure.requested import asked_of_memory

FIGURES = TOP / "figures"
PEAK = re.compile(r"% of ([\d.e+]+), the peak of ")  # GFLOP/s, of make run
BANDWIDTH = re.compile(r"(?:% of|times) the ([\d.e+]+) of memory")  # GB/s


def rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def is_measured_kernel(lab: Lab) -> bool:
    """The figures are of the workbook's kernel: of another's they say nothing."""
    kernel = lab.path / lab.programs[0].kernel
    answer = ANSWERS / lab.name / kernel.name
    if not answer.is_file():  # a lab that nobody is to write
        return lab.path.parent.name == "advanced"
    return kernel.is_file() and bare(text_of(kernel)) == bare(text_of(answer))


def roofline(lab: Lab, variants: list[str]) -> dict[str, Any] | None:
    asked = asked_of_memory()
    if (lab.name, "") not in asked or lab.type != "float" or not is_measured_kernel(lab):
        return None
    found = [one for path in sorted(FIGURES.glob("*.tsv")) for one in points(path, lab.name)]
    shown = [point for point in found if point["variant"] in variants]
    if not shown:
        return None
    for point in shown:
        of = asked[lab.name, point["variant"]]
        point["intensity"] = of.flop / of.bytes
    flop, count, what = asked[lab.name, ""]
    ceilings = [one for path in sorted(FIGURES.glob(f"*.{lab.name}.txt")) for one in ceiling(path)]
    return {"intensity": flop / count, "what": what, "points": shown, "ceilings": ceilings}


def points(path: Path, lab: str) -> list[dict[str, Any]]:
    """Of each variant the largest size."""
    best: dict[str, dict[str, Any]] = {}
    for name, variant, size, _, _, gflops, _, device, *_ in rows(path):
        of, largest = variant.strip("-"), best.get(variant.strip("-"), {"N": 0})["N"]
        if name == lab and int(size) > largest:
            best[of] = {
                "gflops": float(gflops),
                "N": int(size),
                "device": device,
                "source": str(path.relative_to(TOP)),
                "variant": of,
            }
    return list(best.values())


def ceiling(path: Path) -> list[dict[str, Any]]:
    """Of a transcript of make run, which says how far the ceilings are."""
    text = path.read_text(encoding="utf-8")
    device = re.search(r"^ *device +(.*)", text, re.MULTILINE)
    peak, bandwidth = PEAK.search(text), BANDWIDTH.search(text)
    if not (device and peak and bandwidth):
        return []
    return [
        {
            "gflops": float(peak[1]),
            "gbs": float(bandwidth[1]),
            "device": device[1].strip(),
            "source": str(path.relative_to(TOP)),
        }
    ]
