# SPDX-License-Identifier: MIT
"""The measurements of a report: data/lab*.csv, a row for each repetition, or that says why there is
none. A cell is what one program does with one type, size and settings. Its repetitions are numbered
from 1 on, through all rounds; where programs took turns, `round` is the turn of a repetition, from
1 on as well."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbook.core.records import WIDE_SPREAD
from workbook.report.data.files import put

COLUMNS = tuple(
    "lab variant backend device type M N K rep kernel_ms h2d_ms d2h_ms alloc_ms build_ms gflops "
    "verified context_ms cpu_ms peak_gflops peak_gbs settings stamp why round".split()
)
SIZES = ("M", "N", "K")
TIMES = ("kernel_ms", "h2d_ms", "d2h_ms", "alloc_ms", "build_ms", "context_ms", "cpu_ms")
RATES = ("gflops", "peak_gflops", "peak_gbs")
COUNTS = ("rep", "round")  # empty where nothing was timed, or not in rounds
TYPES = {
    **dict.fromkeys(COLUMNS, str),
    **dict.fromkeys(SIZES, "int64"),
    **dict.fromkeys(TIMES + RATES, "float64"),
    **dict.fromkeys(COUNTS, "Int64"),
}
FORMS = {  # what a column may have in every row: the pattern, and how a fault begins
    "lab": (r"lab[0-9][0-9]_[a-z0-9_]+", "is of no lab but"),
    "variant": (r"[A-Za-z0-9_]*", "is of no variant but"),
    "backend": (r"cpu|opencl|cuda", "is of no backend but"),
    "type": (r"float|double|int", "is of no type but"),
    "settings": (r"([A-Z][A-Z0-9_]*=[A-Za-z0-9_]+( |$))*", "has no tunables in settings but"),
    **{name: (r"[1-9][0-9]{0,5}", f"has no size in {name} but") for name in SIZES},
    **{name: (r"([1-9][0-9]{0,8})?", f"has no number in {name} but") for name in COUNTS},
    **{name: (r"([0-9]{1,9}([.][0-9]+)?)?", f"has no time in {name} but") for name in TIMES},
    **{name: (r"([0-9]{1,9}([.][0-9]+)?)?", f"has no number in {name} but") for name in RATES},
}
PROGRAM = ["backend", "lab", "variant"]
CELL = [*PROGRAM, "type", "N", "settings"]

Row = dict[str, str]
Cell = tuple[str, ...]


def read(path: Path) -> tuple[pd.DataFrame, list[str]]:
    """The sound rows of all cells that have all their repetitions, and a line for each thing that
    is wrong: "line 3 has no size in N ..."."""
    rows: list[Row] = []
    wrong: list[str] = []
    broken: set[Cell] = set()
    seen: set[Cell] = set()
    # Lines as files have them: a driver's text may contain what Unicode takes for the end of one.
    lines = path.read_bytes().decode("utf-8-sig", "replace").split("\n")
    for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines, 1):
        fields = split(line.removesuffix("\r"))
        if tuple(fields) == COLUMNS:
            continue
        row = dict(zip(COLUMNS, fields))
        what = "is not the header of a report" if number == 1 else fault(row, fields, seen)
        if what:
            wrong.append(f"line {number} {what}")
            broken.add(cell_of(row))
        else:
            rows.append(row)
    for cell, repetitions in by_cell(rows).items():
        if cell not in broken and (what := gap(repetitions)):
            wrong.append(f"{what} {name_of(repetitions[0])}")
            broken.add(cell)
    return frame([row for row in rows if cell_of(row) not in broken]), wrong


def split(line: str) -> list[str]:
    """The fields of a line, or nothing if its quotes are not in order."""
    try:
        return next(csv.reader([line], strict=True), None) or [""]
    except csv.Error:
        return []


def fault(row: Row, fields: list[str], seen: set[Cell]) -> str:
    """What is wrong with a row, or nothing. `seen` are the repetitions before it."""
    if not fields or any('"' in field for field in fields):
        return "has a quote that does not end"
    if len(fields) != len(COLUMNS):
        return f"has {len(fields)} field{'s' * (len(fields) != 1)} instead of {len(COLUMNS)}"
    for name, (pattern, what) in FORMS.items():
        if not re.fullmatch(pattern, row[name]):
            return f'{what} "{row[name]}"'
    if len({row[name] for name in SIZES}) > 1:
        return "is not of square matrices"
    if row["rep"] == row["kernel_ms"] == "":
        return "has a round, and no time" if row["round"] else ""
    if row["rep"] == "":
        return 'has no number in rep but ""'
    if float(row["kernel_ms"] or 0) == 0:
        return f'has no time in kernel_ms but "{row["kernel_ms"]}"'
    if row["verified"] not in ("full", "freivalds"):
        return "has a time that was not verified"
    if row["why"]:
        return "has a time, and why it has none"
    key = (*cell_of(row), row["device"], row["rep"])
    if key in seen:
        return "is there twice"
    seen.add(key)
    return ""


def cell_of(row: Row) -> Cell:
    return tuple(row.get(name, "") for name in ("variant", "type", "M", "settings"))


def by_cell(rows: Iterable[Row]) -> dict[Cell, list[Row]]:
    """Each cell with its timed rows."""
    cells: dict[Cell, list[Row]] = {}
    for row in rows:
        if row["rep"]:
            cells.setdefault(cell_of(row), []).append(row)
    return cells


def gap(repetitions: list[Row]) -> str:
    """Whether a cell lacks a repetition before its last one, or a round."""
    in_order = sorted(repetitions, key=lambda row: int(row["rep"]))
    if int(in_order[-1]["rep"]) != len(in_order):
        return "has lost a repetition of"
    rounds = [row["round"] for row in in_order]
    if not any(rounds):
        return ""
    steps = np.diff([0, *(int(number or 0) for number in rounds)])
    return "" if steps[0] == 1 and set(steps) <= {0, 1} else "has lost a round of"


def name_of(row: Row) -> str:
    return ", ".join(filter(None, [row["variant"], row["type"], f"N={row['N']}", row["settings"]]))


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows with all columns and the right types; what a row lacks is empty."""
    table = list(rows)
    return pd.DataFrame(
        {
            name: pd.Series([value(name, row.get(name, "")) for row in table], dtype=TYPES[name])
            for name in COLUMNS
        }
    )


def value(name: str, given: Any) -> Any:
    if TYPES[name] is str:
        # No reader of CSV stumbles over what a driver said.
        return printable(str(given)).replace('"', "'")
    empty = given is None or given is pd.NA or given == "" or given != given
    if TYPES[name] == "float64":
        return math.nan if empty else float(given)
    return pd.NA if empty else int(given)


def printable(text: str) -> str:
    """In one line, whatever a driver or a compiler said."""
    return "".join(c if c.isprintable() else " " for c in text)


def text(rows: pd.DataFrame) -> str:
    """As a file has them, with all columns; read() reads the same."""
    out = io.StringIO()
    numbers = {name: rows[name].map(decimal) for name in TIMES + RATES}
    rows[list(COLUMNS)].assign(**numbers).to_csv(out, index=False, lineterminator="\n")
    return out.getvalue()


def decimal(x: float) -> str:
    """The shortest digits that mean this number, never 1e-05."""
    return "" if math.isnan(x) else np.format_float_positional(x, trim="-")


def write(path: Path, rows: pd.DataFrame) -> None:
    put(path, text(rows))


def sound(report: Path) -> pd.DataFrame:
    """The sound rows of all labs, also those that say why there is no time."""
    tables = [read(path)[0] for path in sorted((report / "data").glob("lab*.csv"))]
    return pd.concat([frame([]), *tables], ignore_index=True)


def timed(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["kernel_ms"].notna()].reset_index(drop=True)


def load(report: Path) -> pd.DataFrame:
    return timed(sound(report))


def quantile(values: Sequence[float], q: float) -> float:
    """Between two neighbours where it falls there, as in common/time.c; 0 of nothing."""
    return float(np.quantile(values, q, method="linear")) if len(values) else 0.0


def common_size(sizes: Iterable[int]) -> int:
    """The one that is there most often, and of several such the largest; 0 of none."""
    counts = Counter(sizes)
    return max(counts, key=lambda N: (counts[N], N), default=0)


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """Timed rows summed up: for each cell the median and the quartiles of its time, whether these
    are too far apart to compare it, and the medians of what else was measured. Of several devices
    of a backend, only the one with most rows; `device` then says so."""
    counts = rows.groupby(["backend", "device"], as_index=False).size()
    most = counts.sort_values(["size", "device"], ascending=[False, True]).drop_duplicates(
        "backend"
    )
    rows = rows.merge(most[["backend", "device"]], on=["backend", "device"])
    groups = rows.groupby(CELL, sort=False)
    cells = (
        groups[["kernel_ms", *TIMES[1:6], "peak_gflops"]]
        .median()
        .rename(columns={"kernel_ms": "ms"})
    )
    cells.insert(1, "q1", groups["kernel_ms"].quantile(0.25))
    cells.insert(2, "q3", groups["kernel_ms"].quantile(0.75))
    cells["wide"] = cells["q3"] - cells["q1"] > WIDE_SPREAD * cells["ms"]
    cells["reps"] = groups.size()
    cells = cells.reset_index()
    cells.insert(len(CELL) + 3, "gflops", 2e-6 * cells["N"].astype(float) ** 3 / cells["ms"])
    devices = counts["backend"].value_counts()
    name = {
        backend: device
        + (f" (most rows of {devices[backend]} devices)" if devices[backend] > 1 else "")
        for backend, device in zip(most["backend"], most["device"])
    }
    cells["device"] = cells["backend"].map(name)
    return cells
