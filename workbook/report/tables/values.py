# SPDX-License-Identifier: MIT
"""What stands between the markers of report.md, made of the measurements: each value by its
name."""

from __future__ import annotations

import re
from pathlib import Path

from workbook.report.tables.beside import beside
from workbook.report.tables.cells import BACKENDS, measured
from workbook.report.tables.libraries import shares
from workbook.report.tables.machine_tables import (
    facts,
    peaks,
    read_befores,
    read_ceilings,
    read_defaults,
    read_facts,
)
from workbook.report.tables.time_breakdown import parts
from workbook.report.tables.times import Values, tables
from workbook.student.report_completion import SIZE, predictions

OF_EACH_BACKEND = {
    "time": "time of a kernel over the size. Both axes are logarithmic, so N³ is a straight line, "
    "as steep as the dotted one.",
    "ladder": "speed-up over the first of them, variants beside their lab.",
}
ROOFLINE = (
    "labs under the roofline of the device, by the FLOP per byte that each kernel asks of memory. "
    "Above the "
    "slope lies what caches answer instead of memory."
)
PAGE = "page.html"
SWEEPS = {
    "03": "the edge of the block.",
    "04": "the shape of the work-group.",
    "05": "the columns for each work-item.",
    "06": "the register tile, rows by columns.",
    "07": "the depth of the tiles, and over the edge of square tiles.",
    "08": "the edge of the block, a line for each size.",
    "09": "the edge of the block, a line for each size.",
}


def captions() -> dict[str, str]:
    """Of all plots, by name."""
    return {
        **{
            f"{kind}-{b}": f"{title} labs: {what}"
            for kind, what in OF_EACH_BACKEND.items()
            for b, title in BACKENDS.items()
        },
        **{f"roofline-{backend}": f"{title} {ROOFLINE}" for backend, title in BACKENDS.items()},
        "types-opencl": "OpenCL labs: speed over the size; of int, in GOP/s.",
        **{f"sweep-lab{lab}": f"Lab {lab}: speed over {what}" for lab, what in SWEEPS.items()},
        **{
            f"parts-{backend}": f"{title} labs: where the time goes, from allocation to the result."
            for backend, title in BACKENDS.items()
            if backend != "cpu"
        },
    }


def plots(report: Path) -> Values:
    values = {}
    for name, caption in captions().items():
        path = report / "plots" / f"{name}.svg"
        there = path.is_file() and path.stat().st_size > 0
        none = "*(no plot: its times are missing, or spread too much: see the tables)*"
        values[f"plot-{name}"] = (f"![{caption}](plots/{name}.svg)" if there else none) + "\n"
    return values


def steps(report: Path) -> str:
    """What make page drew, where make report has put it beside the report."""
    if (report / PAGE).is_file():
        return f"[{PAGE}]({PAGE}): each access of these kernels, step by step.\n"
    return "*(no page yet: `make page` draws it, and `make report` then puts it here)*\n"


def predicted_for(document: Path) -> dict[str, int]:
    """The N of a student's predictions, by lab."""
    text = document.read_text(encoding="utf-8", errors="replace") if document.exists() else ""
    sizes = {lab: mine.get(SIZE, "") for lab, mine in predictions(text).items()}
    return {lab: int(N) for lab, N in sizes.items() if re.fullmatch(r"[0-9]{1,6}", N)}


def values(report: Path, other: Path | None = None) -> Values:
    """The other report is one to compare with."""
    cells = measured(report)
    said, defaults, ceilings = read_facts(report), read_defaults(report), read_ceilings(report)
    made = tables(
        cells, peaks(said, ceilings), read_befores(report), predicted_for(report / "report.md")
    )
    for backend, text in shares(report).items():
        made[f"ladder-{backend}"] += text
    return {
        **facts(said, defaults, ceilings),
        **made,
        **parts(cells, defaults),
        **plots(report),
        "steps": steps(report),
        "beside": beside(report, other),
    }
