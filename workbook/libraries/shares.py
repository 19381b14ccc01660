# SPDX-License-Identifier: MIT
"""From rounds to shares: a lab is compared with the best library of its class, round by round."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median, quantiles
from typing import Any

from workbook.lab.limits import Shape
from workbook.measure.interleave import Entry, Rounds

Class = tuple[Any, ...]


def class_of(entry: Entry) -> Class:
    """Who competes with the same means: instructions of a CPU, and ranks; arithmetic of a GPU. What is
    compiled for any CPU is held against AVX2, as no library here does without."""
    record = entry.record
    instructions = "avx2" if record["instructions"] == "baseline" else record["instructions"]
    return record["backend"], instructions, record["rounding"], record.get("ranks")


Pick = Callable[[Entry], Rounds]  # single launches, or back to back: never one beside the other


def single(entry: Entry) -> Rounds:
    return entry.rounds


def steady(entry: Entry) -> Rounds:
    """Where each round had it."""
    every = {shape: len(rounds) for shape, rounds in entry.rounds.items()}
    return {shape: rounds for shape, rounds in entry.steady.items() if len(rounds) == every[shape]}


def best_library(entries: list[Entry], of: Class, shape: Shape, pick: Pick) -> Entry | None:
    there = [
        e for e in entries if e.lab.is_library and not e.is_out and shape in pick(e) and class_of(e) == of
    ]
    return max(there, key=lambda e: median(pick(e)[shape]), default=None)


def spread_of(rounds: list[float]) -> float | None:
    """The distance of the quartiles over the median."""
    if len(rounds) < 2:
        return None
    low, middle, high = quantiles(rounds, n=4, method="inclusive")
    return (high - low) / middle


def speed(entry: Entry, entries: list[Entry], shape: Shape, pick: Pick) -> dict[str, Any]:
    rounds = pick(entry)[shape]
    best = best_library(entries, class_of(entry), shape, pick)
    share = median(ours / theirs for ours, theirs in zip(rounds, pick(best)[shape])) if best else None
    return {
        "gflops": median(rounds),
        "spread": spread_of(rounds),
        "rounds": rounds,
        "share": share,
        "of": best.label if best else None,
    }


def size(entry: Entry, entries: list[Entry], shape: Shape) -> dict[str, Any]:
    """A shape of a program, as in the record."""
    back_to_back = speed(entry, entries, shape, steady) if shape in steady(entry) else None
    return {**dict(zip("MNK", shape)), **speed(entry, entries, shape, single), "steady": back_to_back}


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
        "reason": entry.last.told if entry.last else "",
        "sizes": [] if out else [size(entry, entries, shape) for shape in entry.rounds],
    }
