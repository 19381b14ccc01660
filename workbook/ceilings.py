# SPDX-License-Identifier: MIT
"""ceilings [--device D]: measures again what this machine could do at most, with the programs of ceilings/,
and keeps it in build/ceilings.tsv: backend, device, type, GFLOP/s, GB/s; and of a CPU, name=GFLOP/s of each
instruction set. The best of all measurements counts: what else a machine does makes a ceiling too low, never
too high."""

from __future__ import annotations

import argparse
import os
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, Mistake, build_ceilings
from workbook.files import put
from workbook.labs import environment
from workbook.lock import lock
from workbook.process import plain, run
from workbook.progress import Progress

TABLE = TOP / "build/ceilings.tsv"
BACKENDS = ("cpu", "opencl", "cuda")
RUN_LIMIT = 300  # seconds
A_BACKEND = 8.0  # seconds that one takes, about
SKIPPED = 77

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Ceiling:
    backend: str
    device: str
    type: str
    gflops: float
    gbs: float
    sets: dict[str, float]  # GFLOP/s with each instruction set of a CPU

    @property
    def key(self) -> Key:
        return self.backend, self.device, self.type

    def __str__(self) -> str:
        sets = "".join(f", {name}={value:.2f}" for name, value in self.sets.items())
        speeds = f"{self.gflops:.5g} GFLOP/s, {self.gbs:.4g} GB/s"
        return f"{self.backend}, {self.device}, {self.type}: {speeds}{sets}"


def parse(line: str) -> Ceiling | None:
    """A line of the table, or None."""
    try:
        backend, device, type_, gflops, gbs, *rest = line.rstrip("\n").split("\t")
        sets = {name: float(value) for name, _, value in (word.partition("=") for word in rest)}
        return Ceiling(backend, device, type_, float(gflops), float(gbs), sets)
    except ValueError:
        return None


def as_line(c: Ceiling) -> str:
    sets = [f"{name}={value:.2f}" for name, value in c.sets.items()]
    return "\t".join([*c.key, f"{c.gflops:.2f}", f"{c.gbs:.2f}", *sets]) + "\n"


def read_table() -> dict[Key, Ceiling]:
    try:
        lines = TABLE.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    return {c.key: c for c in map(parse, lines) if c is not None}


def is_known(backend: str, type_: str) -> bool:
    rows = (c for c in read_table().values() if (c.backend, c.type) == (backend, type_))
    return any(c.sets or backend != "cpu" for c in rows)


def best_of(a: Ceiling, b: Ceiling) -> Ceiling:
    sets = {name: max(a.sets.get(name, 0), b.sets.get(name, 0)) for name in {**a.sets, **b.sets}}
    return Ceiling(*a.key, max(a.gflops, b.gflops), max(a.gbs, b.gbs), sets)


def keep(new: Ceiling) -> Ceiling:
    table = read_table()
    table[new.key] = best_of(table.get(new.key, new), new)
    put(TABLE, "".join(map(as_line, table.values())).encode())
    return table[new.key]


def measure(backend: str, type_: str, arguments: Sequence[str] = ()) -> Ceiling | None:
    """Measures, and gives the best so far. None: such a device is not here, or no compiler for it; the lab
    itself says so."""
    TABLE.parent.mkdir(exist_ok=True)
    with (
        lock(TABLE.with_name("ceilings.lock")),
        tempfile.TemporaryDirectory(prefix="ceilings.", dir=TABLE.parent) as folder,
    ):
        work = Path(folder).relative_to(TOP)  # the full path may have spaces in it
        if not build_ceilings.build(backend, type_, work):
            return None
        outcome = run([f"./{work}/peak", *arguments], TOP, RUN_LIMIT, environment())
        if outcome.status == SKIPPED:
            return None
        found = parse(outcome.out)
        if outcome.status != 0 or found is None:
            last = plain(outcome.err.strip().rpartition("\n")[2])
            raise Mistake(f"{backend}: {last or f'ended with status {outcome.status}'}")
        return keep(found)


def ensure(backend: str, type_: str) -> None:
    """Measures what is not known yet. Where that is not possible, the share of it is not shown; no more."""
    try:
        if not is_known(backend, type_):
            measure(backend, type_)
    except (Mistake, OSError):
        pass


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ceilings",
        description="Measures what this machine could do at most: float and double, and int with TYPE=int. "
        "The best of all measurements counts. It takes about a minute.",
    )
    parser.add_argument("--device", help="its index or part of its name, as in ./gemm --list-devices")
    device = parser.parse_args(words).device
    arguments = [] if device is None else ["--device", device]
    types = ["float", "double", *(["int"] if os.environ.get("TYPE") == "int" else [])]
    wanted = [(backend, type_) for backend in BACKENDS for type_ in types]
    progress = Progress("ceilings", A_BACKEND * len(wanted))
    mistakes: list[Mistake] = []
    measured = False
    try:
        for number, (backend, type_) in enumerate(wanted):
            progress.show_only(f"{backend}, {type_}")
            try:
                best = measure(backend, type_, arguments)
            except Mistake as mistake:  # a device of one backend is none of another
                mistakes.append(mistake)
                continue
            if best is not None:
                measured = True
                progress.print(textwrap.fill(f"ceilings: {best}", 80, subsequent_indent="  "))
            progress.done((number + 1) / len(wanted))
    finally:
        progress.clear()
    if mistakes and not measured:
        raise mistakes[0]
    return 0
