# SPDX-License-Identifier: MIT
"""The ladder that demo draws: a row for each program, and under it what the rows cannot hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from workbook.core.text import wrap
from workbook.lab.program import FAIL, PASS, SKIP, TODO, Result, emulated

BAR = 13  # columns
ROW = "{:<19}{:>11}{:>9}{:>9}{:>9}  {} {}"
RATIOS = 57  # columns, up to the last ratio
COLOURS = {PASS: 32, SKIP: 33, TODO: 33, FAIL: 31}
LIBRARY = "library "  # before its name


@dataclass(frozen=True)
class Row:
    label: str  # as it is shown
    name: str  # of the lab and its variant
    result: Result
    size: str = ""
    before: float = 0.0  # GFLOP/s of the lab, or the step, before


def table(rows: Sequence[Row], colours: bool, unit: str = "GFLOP/s") -> list[str]:
    best = max((row.result.gflops for row in rows), default=0.0)
    over = f"{'speedup over':>{RATIOS}}"
    head = ROW.format("", "time", unit, "previous", "first", "", "")
    lines = [over, head, *(as_line(row, best, rows[0], colours) for row in rows)]
    return [line.rstrip() for line in lines]


def as_line(row: Row, best: float, first: Row, colours: bool) -> str:
    result = row.result
    colour = f"\033[{COLOURS[result.verdict]}m" if colours else ""
    verdict = f"{colour}{result.verdict}\033[0m" if colours else result.verdict
    if not result.gflops:
        said = "emulated" if result.verdict == PASS and emulated(result.record) else ""
        return ROW.format(row.label, "", "", "", said, verdict, "")
    return ROW.format(
        row.label,
        f"{short(result.kernel_ms)} ms",
        short(result.gflops),
        times(result.gflops, row.before),
        over_first(row, first),
        verdict,
        "#" * math.ceil(BAR * result.gflops / best - 0.01),
    )


def over_first(row: Row, first: Row) -> str:
    """Of another device, or another size, it would be no speedup of the program."""
    of = [(one.size, one.result.record.get("device")) for one in (row, first)]
    return times(row.result.gflops, first.result.gflops) if of[0] == of[1] else ""


def short(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def times(speed: float, before: float) -> str:
    if before <= 0:
        return "-"
    ratio = speed / before
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.0f}x"


def notes(rows: Sequence[Row]) -> list[str]:
    """Which device, which size, why something failed or was skipped, each once."""
    timed = [row for row in rows if row.result.gflops]
    said = [f"{row.result.record['device']}: N={row.size}" for row in timed]
    if todo := [row.name for row in rows if row.result.verdict == TODO]:
        said.append(f"TODO: not done yet; make progress says what comes next of {', '.join(todo)}")
    said += filter(None, map(reason, rows))
    said.append("speedup over the previous lab, and the first row, on one device at one size")
    if any(row.label.startswith("  step ") for row in rows):
        said.append("step: on the way to the lab below; its previous is the step before")
    if any(row.label.startswith(LIBRARY) for row in rows):
        said.append("library: to compare with, and its variants below; make baseline gives shares")
    return [line for note in dict.fromkeys(said) for line in wrap(note, "", "  ")]


def reason(row: Row) -> str:
    result = row.result
    if result.verdict in (FAIL, SKIP):
        return f"{'failed' if result.verdict == FAIL else 'skipped'} {row.name}: {result.summary}"
    if result.verdict == TODO:
        return ""
    if emulated(result.record):
        return "emulated on a CPU: right or wrong, never how fast"
    if result.reason:
        return f"{row.name}: {result.reason}"
    spread = f"{row.name}: spread {100 * (result.record['spread'] or 0):.0f} %"
    return f"{spread}, run it again on a quiet machine" if result.is_wide else ""
