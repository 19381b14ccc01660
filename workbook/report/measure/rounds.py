# SPDX-License-Identifier: MIT
"""Builds what is to be compared, verifies it and lets it take turns: a round runs each a few
times."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbook.lab.labs import Lab, build, copy_to
from workbook.lab.program import PASS, SKIP, Result, run_program
from workbook.measure.interleave import take_turns
from workbook.report.data.measurements import quantile
from workbook.report.measure.plan import Wanted
from workbook.report.measure.store import Table

ROUNDS, QUICK_ROUNDS = 3, 2
SECOND = 1000.0  # ms that the timed runs of a cell may take, in all rounds
LEAST, MOST = 3, 21  # of them
QUICK = 2  # in a round
# ms of a run from which on runs that only verify or warm up are done once, not in each round
SLOW = 20.0
NO_TIMES = "no CUDA device here: an emulated run has no times"
OVER = "longer than the limit of"
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Reason:
    """Why a cell has no times."""

    state: str  # skipped, or failed: then it is tried again the next time
    why: str


@dataclass
class Bench:
    """Copies of the labs, and what was built and verified in them."""

    work: Path
    settings: list[str]
    quick: bool
    folders: dict[tuple[object, ...], Path | Reason] = field(default_factory=dict)
    verdicts: dict[tuple[str, str, str], Reason | None] = field(default_factory=dict)

    @property
    def patience(self) -> float:
        """Seconds that a program may take, all that it does together, before it is ended."""
        return 60 if self.quick else 600

    @property
    def rounds(self) -> int:
        return QUICK_ROUNDS if self.quick else ROUNDS

    def limit(self, lab: Lab) -> int:
        """Seconds that one run of a lab's kernel may take; one that would take longer is left
        out."""
        if self.quick:
            return 3
        return 60 if lab.backend == "cpu" else 10


def copy_of(bench: Bench, lab: Lab, kind: str) -> Lab:
    """One for each type, so that its objects stay."""
    path = bench.work / kind / lab.place
    if not path.exists():
        copy_to(lab, bench.work / kind)
        objects = lab.path / "build"  # of all labs and settings, and what they were built with
        if objects.is_dir():
            shutil.copytree(objects, path / "build")
    return replace(lab, path=path)


def built(bench: Bench, cell: Wanted) -> Path | Reason:
    """The folder with the program of a cell."""
    key = (cell.lab.name, cell.program.name, cell.type, cell.settings)
    if key not in bench.folders:
        bench.folders[key] = build_one(bench, cell)
    return bench.folders[key]


def build_one(bench: Bench, cell: Wanted) -> Path | Reason:
    lab, name = copy_of(bench, cell.lab, cell.type), cell.program.name
    of_cell = [f"TYPE={cell.type}", f"VARIANT={cell.program.variant}", *cell.settings.split()]
    if said := build(lab, [name], [*bench.settings, *of_cell], anew=False):
        return unbuilt(said)
    folder = lab.path / "programs" / f"{name} {cell.settings}".strip().replace(" ", ".")
    folder.mkdir(parents=True)
    shutil.copy2(lab.path / name, folder)
    return folder


def unbuilt(said: str) -> Reason:
    """Of a limit in params.h, its words; of another error, the place as well."""
    if refused := re.search(r"#error:? *\"?([^\"]*)", said):
        return Reason("skipped", refused[1].strip())
    error = re.match(r"(?:.*/)?([^/ ]*?:\d+):(?:\d+:)? *(?:fatal )?error: *(.*)", said)
    why = f"does not compile: {error[1]}: {error[2]}" if error else f"does not build: {said}"
    return Reason("failed", why)


def verified(bench: Bench, cell: Wanted) -> Reason | None:
    """The sizes that are timed are all even; a battery of others comes first, once for a program
    and type."""
    key = (cell.lab.name, cell.program.name, cell.type)
    if key not in bench.verdicts:
        folder = built(bench, replace(cell, settings=""))
        if isinstance(folder, Path):
            bench.verdicts[key] = reason_of(run_once(bench, cell, folder, ["--check"]))
        else:
            bench.verdicts[key] = folder
    return bench.verdicts[key]


def run_once(bench: Bench, cell: Wanted, folder: Path, arguments: list[str]) -> Result:
    return run_program(folder, cell.program.name, arguments, bench.patience)


def reason_of(result: Result) -> Reason | None:
    if result.verdict == PASS:
        return Reason("skipped", result.why) if result.why else None
    if result.verdict == SKIP:
        return Reason("skipped", result.why)
    why = f"wrong result: {result.why}: make check says more" if result.finding else result.why
    return Reason("failed", why.replace('"', "'"))


def ready(bench: Bench, cell: Wanted, table: Table) -> Path | Reason:
    """The folder with its program, or why it will have no times."""
    if skip := cell.lab.skip or cell.program.skip:
        return Reason("skipped", skip)
    about, limit = table.predicted(cell) / 1000, bench.limit(cell.lab)
    if about > limit:
        return Reason("skipped", f"about {about:.0f} s a run: {too_long(limit)}")
    if wrong := verified(bench, cell):
        return wrong
    if cell.lab.emulated:
        return Reason("skipped", NO_TIMES)
    return built(bench, cell)


def too_long(limit: int) -> str:
    """How the reason ends that tells of a limit."""
    return f"{OVER} {limit} s"


def repetitions(bench: Bench, ms: float) -> int:
    """In a round, of runs of so many ms each; 0: not known."""
    if bench.quick:
        return QUICK
    fitting = SECOND / ms if ms > 0 else MOST
    return math.ceil(min(max(fitting, LEAST), MOST) / ROUNDS)


def time_cells(
    bench: Bench,
    cells: list[Wanted],
    tables: dict[str, Table],
    keep: Callable[[Wanted, Rows | Reason], None],
    at: Callable[[Wanted, float], None],
) -> None:
    """Keeps each cell as soon as it is complete. `at` is told what is at work, and how much of it
    is done."""
    folders: dict[Wanted, Path] = {}
    rows: dict[Wanted, Rows] = {}
    for cell in cells:
        at(cell, 0)
        folder = ready(bench, cell, tables[cell.lab.name])
        if isinstance(folder, Reason):
            keep(cell, folder)
        else:
            folders[cell], rows[cell] = folder, []
    left = list(folders)
    for turn, cell in take_turns(left, bench.rounds):
        at(cell, turn / bench.rounds)
        table = tables[cell.lab.name]
        ms = quantile([row["kernel_ms"] for row in rows[cell]], 0.5)
        guess = ms or table.predicted(cell) or table.ms(replace(cell, settings=""))
        warm = ["--no-warmup"] if turn and ms >= SLOW else []
        words = [str(cell.N), "--reps", str(repetitions(bench, guess)), *warm]
        result = run_once(bench, cell, folders[cell], words)
        if reason := reason_of(result):
            left.remove(cell)
            keep(cell, reason)
            continue
        rows[cell] += as_rows(cell, result.record, turn + 1, len(rows[cell]))
        if turn + 1 == bench.rounds:
            keep(cell, rows[cell])


def as_rows(cell: Wanted, record: dict[str, Any], turn: int, before: int) -> Rows:
    """A row for each repetition, numbered through all rounds."""
    method = record["shapes"][0]["method"]
    of_all = {
        **identity(cell),
        "device": record["device"],
        "verified": "freivalds" if "Freivalds" in method else "full",
        "round": turn,
        **{name: record[name] for name in ("alloc_ms", "build_ms", "context_ms")},
        **{f"peak_{name}": (record["ceilings"] or {}).get(name) for name in ("gflops", "gbs")},
    }
    rows = []
    for n, times in enumerate(record["repetitions"], before + 1):
        gflops = round(2e-6 * cell.N**3 / times["kernel_ms"], 4)
        rows.append({**of_all, **times, "rep": n, "gflops": gflops})
    return rows


def as_row(cell: Wanted, reason: Reason) -> dict[str, Any]:
    return {**identity(cell), "verified": reason.state, "why": reason.why}


def identity(cell: Wanted) -> dict[str, Any]:
    return {
        **{"lab": cell.lab.name, "variant": cell.program.variant, "backend": cell.lab.backend},
        **{"type": cell.type, "M": cell.N, "N": cell.N, "K": cell.N, "settings": cell.settings},
    }
