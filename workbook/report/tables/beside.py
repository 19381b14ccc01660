# SPDX-License-Identifier: MIT
"""make report BESIDE=../eve/report: how many times as fast this report is as another one, for all
programs with default settings, in float."""

from __future__ import annotations

from pathlib import Path

from workbook import UserError
from workbook.report.data import measurements
from workbook.report.data.text import figure, plain, table
from workbook.report.tables.cells import (
    BACKENDS,
    Key,
    Measured,
    Times,
    measured,
    timed_twice,
    with_spread,
)
from workbook.report.tables.data_warnings import in_short
from workbook.report.tables.machine_tables import name_of, read_defaults, read_facts

NOTHING = "*(no other report: `make report BESIDE=../eve/report` compares with one)*\n"
OCCASIONS = (
    "Above 1, this report is faster. *No claim*: the difference is within the spreads, or within\n"
    "the difference of nine in ten settings that were timed twice. The reports were measured at\n"
    "different times, so heat, other users or an update may look like a difference of kernels.\n"
)


def require(other: Path) -> None:
    """A damaged report is refused: half of it would mislead."""
    tables = sorted(other.glob("data/lab*.csv"))
    name = measurements.printable(str(other))
    if not tables:
        raise UserError(f"BESIDE={name}: no data/lab*.csv there: name the folder of a report")
    for path in tables:
        try:
            wrong = measurements.read(path)[1]
        except OSError as error:
            raise UserError(f"BESIDE={name}: {path.name} cannot be read: name another") from error
        if wrong:
            said = measurements.printable(in_short(wrong))
            raise UserError(f"BESIDE={name}: {path.name} {said}: make report there measures again")


def beside(report: Path, other: Path | None) -> str:
    if other is None:
        return NOTHING
    here, there = measured(report), measured(other)
    apart = timed_twice(here.ms(), read_defaults(report))
    apart += timed_twice(there.ms(), read_defaults(other))
    noise = measurements.quantile(apart, 0.9) or 1.0
    name, parts = plain(measurements.printable(str(other))), []
    for backend, title in BACKENDS.items():
        if rows := rows_of(here, there, backend, noise):
            devices = [name_of(read_facts(of).get(backend, "")) for of in (report, other)]
            head = ["lab", "N", "ms (spread)", "ms there", "times as fast"]
            parts.append(f"{title}: {devices[0]} here, {devices[1]} there\n\n{table(head, rows)}\n")
    if not parts:
        return f"*(nothing was measured both here and in {name})*\n"
    return f"Compared with {name}:\n\n{''.join(parts)}{OCCASIONS}"


def rows_of(here: Measured, there: Measured, backend: str, noise: float) -> list[list[str]]:
    rows = []
    for label in here.labels(backend):
        for N in here.sizes(backend):
            key = Key(label, "float", N, "")
            if (mine := here.cells.get(key)) and (theirs := there.cells.get(key)):
                times = [with_spread(cell.ms, cell) for cell in (mine, theirs)]
                rows.append([label, str(N), *times, ratio(mine, theirs, noise)])
    return rows


def ratio(mine: Times, theirs: Times, noise: float) -> str:
    if mine.is_wide or theirs.is_wide:
        return "-"
    value = theirs.ms / mine.ms
    seen = max(value, 1 / value) > max(noise, 1 + max(mine.spread, theirs.spread) / 100)
    return figure(value) if seen else f"{figure(value)}, no claim"
