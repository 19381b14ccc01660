# SPDX-License-Identifier: MIT
"""The measurements of one lab: data/LAB.csv, replaced whole whenever a cell of it is complete.
Times of former kernels and other machines are a student's all the same: they move to data/old."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pandas as pd

from workbook.report.data import measurements
from workbook.report.data.files import put
from workbook.report.measure.plan import Wanted
from workbook.report.tables.data_warnings import in_short


@dataclass
class Table:
    path: Path
    rows: pd.DataFrame

    def alike(self, cell: Wanted) -> pd.Series[bool]:
        """The rows of its program, type and settings, at all sizes."""
        rows, variant = self.rows, cell.program.variant
        kind, settings = cell.type, cell.settings
        return (
            (rows["variant"] == variant) & (rows["type"] == kind) & (rows["settings"] == settings)
        )

    def of(self, cell: Wanted) -> pd.Series[bool]:
        return self.alike(cell) & (self.rows["N"] == cell.N)

    def put(self, cell: Wanted, rows: list[dict[str, object]]) -> None:
        """A cell has these rows from now on."""
        same = self.of(cell)
        retire(self.path, self.rows[same])
        self.rows = joined([self.rows[~same], measurements.frame(rows)])
        self.save()

    def save(self) -> None:
        measurements.write(self.path, self.rows)

    def ms(self, cell: Wanted) -> float:
        """Its median; 0 if it has none."""
        times = self.rows.loc[self.of(cell), "kernel_ms"].dropna()
        return measurements.quantile(list(times), 0.5)

    def predicted(self, cell: Wanted) -> float:
        """ms of a run, from the largest smaller size with the same settings; 0 if there is none."""
        smaller = self.alike(cell) & (self.rows["N"] < cell.N)
        same = self.rows[smaller].dropna(subset=["kernel_ms"])
        if same.empty:
            return 0.0
        largest = same["N"].max()
        times = list(same["kernel_ms"][same["N"] == largest])
        return measurements.quantile(times, 0.5) * (cell.N / float(largest)) ** 3

    def keep_current(self, stamps: dict[str, str], order: list[Wanted]) -> None:
        """Rows with another stamp describe kernels that are no more. The others come in the plan's
        order."""
        current = self.rows["stamp"] == self.rows["variant"].map(stamps)
        retire(self.path, self.rows[~current])
        place = {(c.program.variant, c.type, c.settings, c.N): n for n, c in enumerate(order)}
        rows = self.rows[current]
        keys = zip(rows["variant"], rows["type"], rows["settings"], rows["N"])
        at = pd.Series(
            [place.get(key, len(place)) for key in keys], index=rows.index, dtype="int64"
        )
        self.rows = rows.loc[at.sort_values(kind="stable").index].reset_index(drop=True)
        self.save()


def joined(parts: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([part for part in parts if not part.empty] or parts[:1], ignore_index=True)


def retire(path: Path, rows: pd.DataFrame) -> None:
    """Those that have times stay in data/old, each once: before an interruption they may have come
    there."""
    timed = measurements.timed(rows)
    if timed.empty:
        return
    old = path.parent / "old" / path.name
    header, *new = measurements.text(timed).splitlines()
    known = old.read_text("utf-8", "replace").splitlines() if old.exists() else [header]
    put(old, "\n".join(dict.fromkeys([*known, *new])) + "\n")


def load(path: Path) -> Table:
    """A cell of which a repetition is damaged or lost is measured again as a whole; the table as it
    was is kept."""
    if not path.exists():
        table = Table(path, measurements.frame([]))
        table.save()
        return table
    rows, wrong = measurements.read(path)
    table = Table(path, rows)
    if wrong:
        put(kept := rescued(path), path.read_bytes())
        again = f"it is measured again; the table as it was is data/old/{kept.name}"
        print(f"report: {path} {in_short(wrong)}: {again}", file=sys.stderr)
        table.save()
    return table


def rescued(path: Path) -> Path:
    """Where a damaged table goes: beside those of earlier times."""
    names = (f"{path.stem}.damaged{f'.{n}' if n > 1 else ''}.csv" for n in count(1))
    return next(old for name in names if not (old := path.parent / "old" / name).exists())
