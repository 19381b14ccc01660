# SPDX-License-Identifier: MIT
"""What make baseline found, in a report: data/baseline.json, a copy of build/baseline.json. Its
times are of another occasion than the report's, so they have tables of their own; every share is
within one run of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from workbook import TOP
from workbook.core.records import BASELINE, WIDE_SPREAD, NoRecord, read
from workbook.lab.limits import shape_name
from workbook.libraries.table import label, shape_of
from workbook.report.data.files import put
from workbook.report.data.text import figure, percent, plain, table, wide_if
from workbook.report.tables.cells import BACKENDS

Values = dict[str, str]
Record = dict[str, Any]


def load(path: Path) -> Record | None:
    try:
        return read(path, BASELINE)
    except NoRecord:
        return None


def bring(report: Path) -> None:
    """The last comparison; where there is none, that of the report stays."""
    made = TOP / "build/baseline.json"
    record = load(made)
    if record is not None and record["type"] == "float":
        put(report / "data/baseline.json", made.read_text(encoding="utf-8"))


def shares(report: Path) -> Values:
    """For each backend a table; "" where nothing was compared."""
    record = load(report / "data/baseline.json")
    return {b: share_table(record, b) if record else "" for b in BACKENDS}


def share_table(record: Record, backend: str) -> str:
    programs = [one for one in record["programs"] if one["backend"] == backend and one["sizes"]]
    every = [(one, size) for one in programs for size in one["sizes"]]
    wide = {(label(one), shape_of(size)) for one, size in every if is_wide(size)}
    rows = []
    for one, size in every:
        shape = shape_of(size)
        compared = not wide & {(label(one), shape), (size["of"], shape)}
        share = f"{100 * size['share']:.1f} %" if size["share"] is not None and compared else "-"
        rows.append(
            [
                *(f"*{label(one)}*" if one["is_library"] else label(one), shape_name(*shape)),
                wide_if(is_wide(size), figure(size["gflops"])),
                "-" if size["spread"] is None else percent(100 * size["spread"]),
                *(share, size["of"] or "-"),
            ]
        )
    if not rows:
        return ""
    head = ["lab, or *library*", "N, or M x N x K", *("GFLOP/s", "spread", "share")]
    device, date = plain(programs[0]["device"]), record["date"][:10]
    said = f"Beside libraries, by `make baseline` on {device}, {date}:"
    return f"\n{said}\n\n{table([*head, 'of the best of its class'], rows)}"


def is_wide(size: Record) -> bool:
    return (size["spread"] or 0.0) > WIDE_SPREAD


def best(report: Path, rows: pd.DataFrame) -> list[tuple[str, float]]:
    """Of each class the best library and its GFLOP/s, at the size of these rows on their device."""
    record = load(report / "data/baseline.json")
    first = rows.iloc[0]
    square = (first["N"],) * 3
    there = (first["backend"], first["device"].partition(" (most rows of ")[0])
    return [
        (label(one), float(size["gflops"]))
        for one in (record["programs"] if record else [])
        for size in one["sizes"]
        if (one["backend"], one["device"]) == there
        and (shape_of(size), size["of"]) == (square, label(one))
        and not is_wide(size)
    ]
