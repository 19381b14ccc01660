# SPDX-License-Identifier: MIT
"""A report as another is compared with it."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from workbook import UserError
from workbook.report.compare.ratios import GROUP, Cells, Group, series
from workbook.report.data import measurements
from workbook.report.tables.machine_tables import lines_of, read_defaults


@dataclass(frozen=True)
class Report:
    folder: str
    rows: pd.DataFrame
    cells: Cells
    facts: dict[tuple[str, int], str]  # of the machine, by name; there may be several devices
    defaults: dict[str, str]

    def why_not(self, group: Group, size: int) -> str:
        """Why a cell has no time here, if that is known."""
        rows = self.rows[self.rows["N"] == size]
        for name, wanted in zip(GROUP, group):
            rows = rows[rows[name] == wanted]
        return next(iter(rows["why"]), "")

    def measured(self, backend: str) -> bool:
        return any(
            cell.backend == backend for sizes in self.cells.values() for cell in sizes.values()
        )


def read(folder: str) -> Report:
    """A damaged report is refused: half of it would mislead."""
    name, path = measurements.printable(folder), Path(folder)
    if not path.is_dir():
        raise UserError(
            f"no folder {name}: give two report folders: make compare A=report1 B=report2"
        )
    tables = sorted((path / "data").glob("lab*.csv"))
    if not tables:
        raise UserError(f"{name} has no data/lab*.csv: make a report there first: make report")
    for table in tables:
        again = "take it from a copy, or measure again: make report"
        if not table.is_file() or not os.access(table, os.R_OK):
            raise UserError(f"{measurements.printable(str(table))} is no file to read: {again}")
        if wrong := measurements.read(table)[1]:
            raise UserError(
                f"{measurements.printable(str(table))} {measurements.printable(wrong[0])}: {again}"
            )
    rows = measurements.sound(path)
    cells = series(measurements.timed(rows))
    if not cells:
        raise UserError(f"{name} has no times: measure there first: make report")
    facts: dict[tuple[str, int], str] = {}
    counts: Counter[str] = Counter()
    for what, fact in lines_of(path / "data/provenance.txt"):
        what = measurements.printable(what)
        facts[what, counts[what]] = measurements.printable(fact)
        counts[what] += 1
    return Report(name, rows, cells, facts, read_defaults(path))
