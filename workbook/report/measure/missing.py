# SPDX-License-Identifier: MIT
"""Measures what a report lacks. A measurement is stale when the lab's sources, the compiler, the
device or its driver have changed. Interrupted, it leaves the last report, and every measurement
that was complete."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.files import temp_folder
from workbook.core.progress_bar import ProgressBar, in_words
from workbook.core.records import now
from workbook.lab.labs import ADVANCED, Lab, build, describe, labs_in, ladder
from workbook.lab.program import NO_SPEED
from workbook.measure import ceilings
from workbook.report.data.files import put
from workbook.report.measure.machine import facts, is_gpu, stamp
from workbook.report.measure.plan import Wanted, defaults, leads_on, plan, turn_of
from workbook.report.measure.rounds import OVER, Bench, Reason, Rows, as_row, time_cells, too_long
from workbook.report.measure.store import Table, load
from workbook.report.tables.libraries import bring
from workbook.report.tables.machine_tables import name_of

MINUTE = 60.0


@dataclass(frozen=True)
class Asked:
    settings: list[str]  # of make: CC=clang CUDA=cpu
    quick: bool
    fresh: bool
    advanced: bool = False  # advanced labs, too


def measure(report: Path, asked: Asked) -> None:
    labs = [describe(str(path), asked.settings) for path in chosen(report, asked)]
    build_all(labs, asked.settings)
    said = facts(labs, asked.settings)
    given = [pair for lab in labs if not leads_on(lab) for pair in defaults(lab)]
    put(report / "data/defaults.txt", lines(given))
    put(report / "data/before.txt", lines([(lab.name, lab.before) for lab in labs if lab.before]))
    if asked.fresh:
        # Another stamp for all: what an interruption leaves unmeasured is missing the next time.
        put(report / "data/fresh", f"{time.time_ns()}\n")
    measure_ceilings(report, labs, said, asked.fresh)
    bring(report)
    tables = {lab.name: load(report / f"data/{lab.name}.csv") for lab in labs}
    on_gpu = {lab.name: is_gpu(said.get(lab.backend or "", "")) for lab in labs}
    cells = {lab.name: list(plan(lab, on_gpu[lab.name], asked.quick)) for lab in labs}
    stamps = stamps_of(report, labs, said)
    with temp_folder("report") as work:
        bench = Bench(work, asked.settings, asked.quick)
        every = [cell for lab in labs for cell in cells[lab.name]]
        missing = [cell for cell in every if is_missing(bench, cell, tables[cell.lab.name], stamps)]
        fill_in(bench, missing, tables, stamps, said)
    for lab in labs:
        tables[lab.name].keep_current(stamps[lab.name], cells[lab.name])
    provenance = report / "data/provenance.txt"
    if missing or not provenance.exists():  # the date is that of the last measurement
        made = [(name, value or "") for name, value in now().items()]
        put(provenance, lines([*said.items(), *made]))


def chosen(report: Path, asked: Asked) -> list[Path]:
    """The ladder; of the advanced labs those that this report has already, or is to have
    now."""
    more = labs_in(TOP / ADVANCED)
    return ladder() + [
        p for p in more if asked.advanced or (report / f"data/{p.name}.csv").exists()
    ]


def lines(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in pairs)


def say(text: str) -> None:
    print(f"report: {text}", file=sys.stderr, flush=True)


def build_all(labs: list[Lab], settings: list[str]) -> None:
    say("building all labs")
    for lab in labs:
        if build(lab, ["all"], settings, anew=False):
            say(f"{lab.name} does not build: its cells will say so")


def measure_ceilings(report: Path, labs: list[Lab], said: dict[str, str], fresh: bool) -> None:
    """Those of another machine are of no use, as where machines share a home."""
    say("measuring what this machine can do at most, unless that is known")
    known = ceilings.read_table()
    for backend in dict.fromkeys(lab.backend for lab in labs if lab.backend and not lab.emulated):
        device = name_of(said.get(backend, ""))
        for kind in ("float", "double"):
            if fresh or (backend, device, kind) not in known:
                try:
                    ceilings.measure(backend, kind)
                except ceilings.Missing:
                    pass  # its cells will say so
                except (UserError, OSError) as error:
                    say(f"what {backend} can do at most in {kind} is not known: {error}")
    known = ceilings.read_table()
    put(report / "data/ceilings.tsv", "".join(map(ceilings.as_line, known.values())))


def stamps_of(report: Path, labs: list[Lab], said: dict[str, str]) -> dict[str, dict[str, str]]:
    """Of each lab, by variant."""
    path = report / "data/fresh"
    fresh = path.read_text(encoding="utf-8") if path.exists() else ""
    return {lab.name: {p.variant: stamp(lab, p, said, fresh) for p in lab.programs} for lab in labs}


def is_missing(bench: Bench, cell: Wanted, table: Table, stamps: dict[str, dict[str, str]]) -> bool:
    """It is not there, or for another stamp; or failed or had no speed, as the reason may be gone;
    or was left out for another limit."""
    rows = table.rows[table.of(cell)]
    if rows.empty or (rows["stamp"] != stamps[cell.lab.name][cell.program.variant]).any():
        return True
    for state, why in zip(rows["verified"], rows["why"]):
        if state == "failed" or why.startswith(NO_SPEED):
            return True
        if OVER in why and not why.endswith(too_long(bench.limit(cell.lab))):
            return True
    return False


def seconds_of(cell: Wanted, said: dict[str, str]) -> float:
    """About how many it takes, at 2 GFLOP/s on a CPU, at 2000 on a GPU, with what the CPU does
    besides."""
    fact = said.get(cell.lab.backend or "", "")
    if "(CPU," not in fact and not is_gpu(fact):
        return 0.0  # nothing is run
    start, rate = (3.0, 2e12) if is_gpu(fact) else (1.0, 2e9)
    return start + 5 * 2.0 * cell.N**3 / rate + 6 * (cell.N / 8192) ** 2


def fill_in(
    bench: Bench,
    missing: list[Wanted],
    tables: dict[str, Table],
    stamps: dict[str, dict[str, str]],
    said: dict[str, str],
) -> None:
    if not missing:
        say("all is measured")
        return
    about = {cell: seconds_of(cell, said) for cell in missing}
    total = sum(about.values())
    say(f"{len(missing)} times to measure, about {in_words(total)}")
    progress = ProgressBar("report", total)
    parts = dict.fromkeys(missing, 0.0)  # of each cell that are done

    def at(cell: Wanted, part: float) -> None:
        parts[cell] = part
        worth = sum(about[cell] * part for cell, part in parts.items())
        if progress.seconds() > MINUTE:  # until then the guess is better
            progress.done(worth / total if total else 1.0)
        progress.show_only(str(cell))

    def keep(cell: Wanted, measured: Rows | Reason) -> None:
        rows = [as_row(cell, measured)] if isinstance(measured, Reason) else measured
        mark = stamps[cell.lab.name][cell.program.variant]
        tables[cell.lab.name].put(cell, [{**row, "stamp": mark} for row in rows])
        at(cell, 1.0)

    with progress:
        for _, cells in groupby(sorted(missing, key=turn_of), key=turn_of):
            time_cells(bench, list(cells), tables, keep, at)
