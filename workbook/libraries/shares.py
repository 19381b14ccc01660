# SPDX-License-Identifier: MIT
"""Rounds in which all take turns, and from rounds to shares: a lab is compared with the best
library of its class, round by round. Every run is verified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median, quantiles
from time import monotonic
from typing import Any

from workbook.lab.labs import Lab, Program
from workbook.lab.limits import Shape, shape_name
from workbook.lab.program import Result, time_program
from workbook.measure.interleave import take_turns

FIRST = 5  # repetitions of the first round
A_ROUND = 250.0  # ms that those of another may take
MOST = 20
LONG = 2.0  # s of a program, most of them to verify, from which on no round has more than the first
Rounds = dict[Shape, list[float]]  # GFLOP/s
LOWEST = ("generic", "sse2")  # what is compiled for any CPU
SLOW = 500.0  # ms of a run, from which on the first round has to do
Class = tuple[Any, ...]


@dataclass
class Entry:
    """A program in the comparison."""

    lab: Lab
    program: Program
    rounds: Rounds = field(default_factory=dict)
    steady: Rounds = field(default_factory=dict)  # back to back, where a round had that
    last: Result | None = None

    @property
    def label(self) -> str:
        return f"{self.lab.name}, {self.program.variant}" if self.program.variant else self.lab.name

    @property
    def record(self) -> dict[str, Any]:
        return self.last.record if self.last else {}

    @property
    def is_out(self) -> bool:
        """Wrong, skipped or without a speed once, it has no times."""
        return self.last is not None and not self.last.gflops


def time_rounds(entries: list[Entry], shape: Shape, rounds: int, at: Callable[[str], None]) -> None:
    """All rounds of one shape. `at` is told what is at work."""
    left = [entry for entry in entries if not entry.is_out]
    again: dict[str, int] = {}  # repetitions of its next round
    for _, entry in take_turns(left, rounds):
        at(f"{entry.label} {shape_name(*shape)}")
        words = [*map(str, shape), "--reps", str(again.get(entry.label, FIRST))]
        start = monotonic()
        entry.last = time_program(entry.lab.path, entry.program.name, words)
        most = FIRST if monotonic() - start > LONG else MOST
        if entry.is_out or entry.last.kernel_ms > SLOW:
            left.remove(entry)
        if not entry.is_out:
            again[entry.label] = min(max(int(A_ROUND / entry.last.kernel_ms), 1), most)
            entry.rounds.setdefault(shape, []).append(entry.last.gflops)
            if steady := entry.record["steady"]:
                entry.steady.setdefault(shape, []).append(steady["gflops"])


def class_of(entry: Entry) -> Class:
    """Who competes with the same means: instructions of a CPU, and ranks; arithmetic of a GPU. What
    is compiled for any CPU is held against AVX2, as no library here does without."""
    record = entry.record
    instructions = "avx2" if record["instructions"] in LOWEST else record["instructions"]
    return record["backend"], instructions, record["rounding"], record.get("ranks")


Pick = Callable[[Entry], Rounds]  # single launches, or back to back: never one beside the other


def single(entry: Entry) -> Rounds:
    return entry.rounds


def steady(entry: Entry) -> Rounds:
    """Where each round had it."""
    every = {shape: len(rounds) for shape, rounds in entry.rounds.items()}
    return {shape: rounds for shape, rounds in entry.steady.items() if len(rounds) == every[shape]}


def best_library(entries: list[Entry], of: Class, shape: Shape, pick: Pick) -> Entry | None:
    libraries = [e for e in entries if e.lab.is_library and not e.is_out]
    there = [e for e in libraries if shape in pick(e) and class_of(e) == of]
    return max(there, key=lambda e: median(pick(e)[shape]), default=None)


def spread_of(rounds: list[float]) -> float | None:
    """The interquartile range over the median."""
    if len(rounds) < 2:
        return None
    low, middle, high = quantiles(rounds, n=4, method="inclusive")
    return (high - low) / middle


def speed(entry: Entry, entries: list[Entry], shape: Shape, pick: Pick) -> dict[str, Any]:
    rounds = pick(entry)[shape]
    best = best_library(entries, class_of(entry), shape, pick)
    said = {"gflops": median(rounds), "spread": spread_of(rounds), "rounds": rounds}
    if best is None:
        return {**said, "share": None, "of": None}
    shares = (ours / theirs for ours, theirs in zip(rounds, pick(best)[shape]))
    return {**said, "share": median(shares), "of": best.label}


def size(entry: Entry, entries: list[Entry], shape: Shape) -> dict[str, Any]:
    """A shape of a program, as in the record."""
    back_to_back = speed(entry, entries, shape, steady) if shape in steady(entry) else None
    launched = speed(entry, entries, shape, single)
    return {**dict(zip("MNK", shape)), **launched, "steady": back_to_back}


def as_record(entry: Entry, entries: list[Entry]) -> dict[str, Any]:
    """A program, as in the record; of one that is out, why."""
    out = entry.is_out
    return {
        "lab": entry.lab.name,
        "variant": entry.program.variant,
        "is_library": entry.lab.is_library,
        "backend": entry.lab.backend,
        "device": entry.record.get("device") or None,
        "library": entry.record.get("library"),
        "instructions": entry.record.get("instructions"),
        "rounding": entry.record.get("rounding"),
        "verdict": entry.last.verdict if entry.last else None,
        "reason": entry.last.summary if entry.last else "",
        "sizes": [] if out else [size(entry, entries, shape) for shape in entry.rounds],
    }
