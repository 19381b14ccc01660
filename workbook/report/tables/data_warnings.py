# SPDX-License-Identifier: MIT
"""What in a report's data should make its reader doubt: damaged rows, programs that gave no result,
times that scatter, and a peak below what a kernel reaches or double does, which was measured on a
busy machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbook.report.data import measurements
from workbook.report.tables.cells import label_of
from workbook.report.tables.machine_tables import read_ceilings

MANY = 0.05  # of all times may spread so much that they are not compared


def doubts(report: Path, quick: bool) -> Iterator[str]:
    """A line each."""
    again = " QUICK=1" if quick else ""
    for path in sorted((report / "data").glob("lab*.csv")):
        if wrong := measurements.read(path)[1]:
            yield f"{path} {in_short(wrong)}: left out; make report measures it again"
    rows = measurements.sound(report)
    failed = rows[rows["verified"] == "failed"]
    for label, why in dict.fromkeys(
        zip(map(label_of, failed["lab"], failed["variant"]), failed["why"])
    ):
        yield f"{label} has no times: {why}"
    cells = measurements.medians(measurements.timed(rows))
    scattered = int(cells["wide"].sum())
    if scattered > MANY * len(cells):
        spread = f"{scattered} of {len(cells)} times spread by over 20 %"
        yield f"{spread}: on a quiet machine, make report FRESH=1{again}"
    ceilings = {key: gflops for key, (gflops, _) in read_ceilings(report).items()}
    tops = [ceilings.get((row.backend, row.device, row.type), 0.0) for row in cells.itertuples()]
    over = sum(0 < top < gflops for top, gflops in zip(tops, cells["gflops"]))
    odd = any(
        kind == "double" and gflops > ceilings.get((backend, device, "float"), 0.0)
        for (backend, device, kind), gflops in ceilings.items()
    )
    remedy = f"on a quiet machine, make ceilings report{again}"
    if over:
        yield f"{over} times are faster than the measured peak: {remedy}"
    elif odd:
        yield f"a peak is higher in double than in float: {remedy}"


def in_short(wrong: list[str]) -> str:
    """The first, and how many more."""
    return wrong[0] + (f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else "")
