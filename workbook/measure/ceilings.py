# SPDX-License-Identifier: MIT
"""ceilings [--device D]: measures the peak FLOP rate and bandwidth again, with the programs of
ceilings/, which its Makefile builds, and keeps it in build/ceilings.tsv: backend, device, type,
GFLOP/s, GB/s; and of a CPU, name=GFLOP/s of each instruction set. The best of all measurements
counts: what else a machine does makes a ceiling too low, never too high."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.files import put
from workbook.core.lock import Busy, lock
from workbook.core.process import Outcome, run
from workbook.core.progress_bar import ProgressBar
from workbook.core.text import plain
from workbook.lab.labs import BUILD_LIMIT, environment, make

TABLE = TOP / "build/ceilings.tsv"
BACKENDS = ("cpu", "opencl", "cuda")
RUN_LIMIT = 300  # seconds
A_BACKEND = 8.0  # seconds that one takes, about
SKIPPED, REFUSED = 77, 2
# What compilers and linkers say of a header or a library that is not installed.
OLD = "baseline"  # what sse2 was called: it is measured again
LACKS = r"\.h\b.*(No such file|not found)|cannot find -l|(library|framework) .*not found"

Key = tuple[str, str, str]


class Missing(UserError):
    """A compiler, headers, a library or a device is not here: nothing to measure."""


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
        whose = f"{self.device}, one core" if self.backend == "cpu" else self.device
        return f"{self.backend}, {whose}, {self.type}: {speeds}{sets}"


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
    return any((c.sets and OLD not in c.sets) or backend != "cpu" for c in rows)


def best_of(a: Ceiling, b: Ceiling) -> Ceiling:
    sets = {name: max(a.sets.get(name, 0), b.sets.get(name, 0)) for name in {**a.sets, **b.sets}}
    return Ceiling(*a.key, max(a.gflops, b.gflops), max(a.gbs, b.gbs), sets)


def keep(new: Ceiling) -> Ceiling:
    table = read_table()
    table[new.key] = best_of(table.get(new.key, new), new)
    put(TABLE, "".join(map(as_line, table.values())).encode())
    return table[new.key]


def build(backend: str, type_: str) -> Path:
    """The program that measures."""
    compiler = os.environ.get("CC") or "cc"
    first = ["nvidia-smi", "-L"] if backend == "cuda" else [*shlex.split(compiler), "--version"]
    outcome = run(first, TOP, BUILD_LIMIT, environment())
    if outcome.status != 0:
        raise why(backend, first[0], outcome)
    words = [
        "-k",
        f"-j{os.cpu_count() or 1}",
        f"BACKEND={backend}",
        f"TYPE={type_}",
        f"CC={compiler}",
    ]
    outcome = make(TOP / "ceilings", words, BUILD_LIMIT)
    if outcome.status != 0:
        raise why(backend, "make", outcome)
    return TOP / "ceilings/build" / f"peak_{backend}"


def why(backend: str, program: str, outcome: Outcome) -> UserError:
    lines = (outcome.err + outcome.out).splitlines()
    if outcome.status in (126, 127):
        return Missing(f"{backend}: skipped: {program} is not installed")
    if program == "nvidia-smi":
        return Missing(f"{backend}: skipped: {plain(lines[-1]) if lines else 'no device'}")
    if outcome.timed_out:
        return UserError(f"{backend}: the compiler needs more than {BUILD_LIMIT} s")
    if lacks := [line for line in lines if re.search(LACKS, line)]:
        return Missing(f"{backend}: skipped: {plain(lacks[0])}")
    # Sorted: the compilers run side by side, and which one is the first to fail is chance.
    first = (
        sorted(line for line in lines if "error" in line) or lines or [f"{program} says nothing"]
    )
    return UserError(f"{backend}: does not build: {plain(first[0])}")


def measure(backend: str, type_: str, arguments: Sequence[str] = ()) -> Ceiling:
    """Measures, and gives the best so far; raises Missing where such a device is not here, or no
    compiler for it."""
    with lock(TABLE.with_name("ceilings.lock")):
        outcome = run([str(build(backend, type_)), *arguments], TOP, RUN_LIMIT, environment())
        last = (
            plain(outcome.err.strip().rpartition("\n")[2]) or f"ended with status {outcome.status}"
        )
        # A device of one backend is none of another.
        if outcome.status == SKIPPED or (arguments and outcome.status == REFUSED):
            raise Missing(f"{backend}: skipped: {re.sub('^gemm: (skipped: )?', '', last)}")
        found = parse(outcome.out)
        if outcome.status != 0 or found is None:
            raise UserError(f"{backend}: {last}")
        best = keep(found)
        tried(backend, type_).unlink(missing_ok=True)
        return best


def tried(backend: str, type_: str) -> Path:
    """Is there where it could not be measured."""
    return TABLE.with_name(f"ceilings.{backend}.{type_}.tried")


def is_wanted(backend: str, type_: str) -> bool:
    """It is neither known, nor was it tried in vain: only make ceilings tries that again."""
    return not is_known(backend, type_) and not tried(backend, type_).exists()


def ensure(backend: str, type_: str) -> None:
    """Measures what is not known yet. Where that is not possible, the share of it is not shown; no
    more."""
    if not is_wanted(backend, type_):
        return
    try:
        measure(backend, type_)
    except (Busy, OSError):
        pass
    except UserError:
        tried(backend, type_).touch()


def tell(what: Ceiling | UserError, progress: ProgressBar) -> None:
    progress.print(textwrap.fill(f"ceilings: {what}", 80, subsequent_indent="  "))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ceilings",
        description="Measures the peak FLOP rate and bandwidth: float and double, and int with "
        "TYPE=int. The best of all measurements counts. It takes about a minute.",
    )
    parser.add_argument(
        "--device", help="its index or part of its name, as in ./gemm --list-devices"
    )
    device = parser.parse_args(words).device
    arguments = [] if device is None else ["--device", device]
    types = ["float", "double", *(["int"] if os.environ.get("TYPE") == "int" else [])]
    wanted = [(backend, type_) for backend in BACKENDS for type_ in types]
    failed = measured = False
    said: set[str] = set()  # each reason once, not for each type
    with ProgressBar("ceilings", A_BACKEND * len(wanted)) as progress:
        for number, (backend, type_) in enumerate(wanted):
            progress.show_only(f"{backend}, {type_}")
            try:
                tell(measure(backend, type_, arguments), progress)
                measured = True
            except UserError as mistake:
                failed = failed or not isinstance(mistake, Missing)
                if str(mistake) not in said:
                    tell(mistake, progress)
                said.add(str(mistake))
            progress.done((number + 1) / len(wanted))
    if device is not None and not measured:
        raise UserError(f"--device {device}: nothing could be measured there")
    return 1 if failed else 0
