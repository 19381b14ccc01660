# SPDX-License-Identifier: MIT
"""baseline FOLDER ...: labs beside the libraries of baseline/, interleaved, at some sizes, SIZES;
and what share of the best library of its class each lab has. It writes build/baseline.json.

shares    from rounds to shares, and to the record      table    what is printed"""

from __future__ import annotations

import os
import re
import time
from typing import Any

from workbook import TOP, UserError
from workbook.core import records
from workbook.core.progress_bar import ProgressBar
from workbook.core.text import wrap
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings, of_some
from workbook.lab.labs import Lab, Program
from workbook.lab.limits import shapes_of
from workbook.lab.program import FAIL, SKIP, timing_size
from workbook.libraries.shares import Entry, as_record, time_rounds
from workbook.libraries.table import reasons, tables
from workbook.measure.interleave import ROUNDS

OF_FEW = ("THREADS", "RANKS")  # settings that some labs and libraries have
SIZES = "256 512 1024"
MOST_ROUNDS = 99
LARGE = "1024 2048 4096"  # for a device on which the small ones are over before they have begun
A_TURN = 2.0  # seconds, about
RECORD = TOP / "build/baseline.json"
Missing = dict[str, str]  # who is not compared, and why


def threads_of(settings: list[str]) -> str:
    """What THREADS says; 1 where it says nothing."""
    said = [setting.partition("=")[2] for setting in settings if setting.startswith("THREADS=")]
    if said and not re.fullmatch(r"\d{1,3}", said[-1], re.ASCII):
        why = "give 1 to 999, or 0 for as many as there are processors"
        raise UserError(f"THREADS={said[-1]}: {why}")
    return said[-1] if said else "1"


def choose(lab: Lab, threads: str, missing: Missing) -> bool:
    """Does it take part? If not, why is kept."""
    has_several = lab.threads or lab.ranks or lab.is_library
    if lab.skip is not None:
        missing[lab.name] = lab.skip
    elif lab.emulated:
        missing[str(lab.backend)] = "emulated on a CPU: right or wrong, never how fast"
    elif lab.backend == "cpu" and threads != "1" and not has_several:
        missing[lab.name] = f"has one thread, where the libraries have THREADS={threads}"
    else:
        out = [p for p in lab.programs if p.capability and p.skip]
        missing.update({f"{lab.name}, {p.variant}": str(p.skip) for p in out})
        return True
    return False


def competing(lab: Lab) -> list[Program]:
    """A library with all that it has; a lab with its kernel, and with what was written for the GPU
    here."""
    if lab.is_library:
        return lab.climb
    return [p for p in lab.programs if not p.variant or (p.capability and not p.skip)]


def rounds_of(text: str) -> int:
    if not re.fullmatch(r"\d{1,3}", text, re.ASCII) or not 1 <= int(text) <= MOST_ROUNDS:
        raise UserError(f"ROUNDS={text}: give 1 to {MOST_ROUNDS}")
    return int(text)


def measure(
    chosen: list[Lab], settings: list[str], rounds: int, progress: ProgressBar
) -> list[dict[str, Any]]:
    """Of one backend: prints a table for each shape, and gives the programs of the record."""
    entries = []
    for lab in chosen:
        programs = competing(lab)
        progress.show_only(f"{lab.name} is built")
        words = of_some(settings, OF_FEW, lab.path)
        if unbuilt := labs.build(lab, [p.name for p in programs], words, anew=False):
            raise UserError(f"{lab.name} does not build: {unbuilt}")
        entries += [Entry(lab, program) for program in programs]
    default = LARGE if timing_size(chosen[0]) == "2048" else SIZES
    shapes = shapes_of(os.environ.get("SIZES") or default)
    progress.about = progress.seconds() + A_TURN * rounds * len(entries) * len(shapes)
    for shape in shapes:
        time_rounds(entries, shape, rounds, progress.show_only)
        found = [as_record(entry, entries) for entry in entries]
        progress.print(tables([one for one in found if one["verdict"] != SKIP], shape) + "\n")
    return found


def compare(
    described: list[Lab], settings: list[str], rounds: int, missing: Missing
) -> list[dict[str, Any]]:
    """Backend by backend, what has ranks apart, where there are both a lab and a library."""
    threads = threads_of(settings)
    os.environ["OMP_NUM_THREADS"] = str(int(threads) or os.cpu_count())  # libraries have THREADS
    programs: list[dict[str, Any]] = []
    with ProgressBar("baseline", 0) as progress:
        labs_alone = [lab for lab in described if not lab.is_library]
        for kind in dict.fromkeys((lab.backend, lab.ranks) for lab in labs_alone):
            same = [lab for lab in described if (lab.backend, lab.ranks) == kind]
            chosen = [lab for lab in same if choose(lab, threads, missing)]
            if {lab.is_library for lab in chosen} == {True, False}:
                programs += measure(chosen, settings, rounds, progress)
    return programs


def main(words: list[str]) -> int:
    start = time.monotonic()
    threads_of(labs.given())  # a mistake is told before the libraries' make sees it
    described, settings = labs_and_settings(
        "baseline",
        words,
        "Times labs beside the libraries of baseline/, interleaved: each one's share of the best.",
        f"SIZES: '{SIZES}', or as 1000x20x3; ROUNDS: {ROUNDS}; THREADS: of CPU libraries, and of "
        "labs with OpenMP; RANKS: of labs with MPI; LIMIT: seconds for one run.",
        all_variants=True,
        of_few=OF_FEW,
    )
    if os.environ.get("SIZE"):
        why = "it goes through several: SIZES='512 2048', or one as SIZES=1000x20x3"
        raise UserError(f"SIZE: {why}")
    shapes_of(os.environ.get("SIZES") or SIZES)  # mistakes are told before anything is built
    rounds = rounds_of(os.environ.get("ROUNDS") or str(ROUNDS))
    missing: Missing = {}
    programs = compare(described, settings, rounds, missing)
    lines = reasons(programs)
    for name, reason in missing.items():
        lines += wrap(f"not here: {name}: {reason}", "", "  ")
    if lines:
        print("\n".join(lines))
    if not programs:
        why = "for these reasons; ./setup baseline installs libraries"
        raise UserError(f"nothing was compared, {why}")
    about: dict[str, Any] = {"type": described[0].type, "settings": settings}
    about["seconds"] = round(time.monotonic() - start, 1)
    reasons_of = [{"name": name, "reason": reason} for name, reason in missing.items()]
    record = {"schema": "gemm-baseline/2", **records.now(), **about}
    records.write(RECORD, {**record, "programs": programs, "missing": reasons_of})
    return 1 if any(program["verdict"] == FAIL for program in programs) else 0
