# SPDX-License-Identifier: MIT
"""Programs that are to be compared take turns: a round runs each once, so that a machine that becomes slower
meanwhile does so for all of them. Every run is verified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbook.lab.labs import Lab, Program
from workbook.lab.limits import Shape, shape_name
from workbook.lab.program import PASS, Result, time_program

ROUNDS = 5  # if ROUNDS says nothing
FIRST = 5  # repetitions of the first round
A_ROUND = 250.0  # ms that those of another may take
MOST = 20
Rounds = dict[Shape, list[float]]  # GFLOP/s
SLOW = 500.0  # ms of a run, from which on the first round has to do


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
        """Wrong or skipped once, it has no times."""
        return self.last is not None and self.last.verdict != PASS


def take_turns(entries: list[Entry], shape: Shape, rounds: int, at: Callable[[str], None]) -> None:
    """All rounds of one shape. `at` is told what is at work."""
    ms: dict[str, float] = {}
    for turn in range(rounds):
        for entry in entries:
            if entry.is_out or (turn > 0 and ms[entry.label] > SLOW):
                continue
            at(f"{entry.label} {shape_name(*shape)}")
            repetitions = min(max(int(A_ROUND / ms[entry.label]), 1), MOST) if turn else FIRST
            words = [*map(str, shape), "--reps", str(repetitions)]
            entry.last = time_program(entry.lab.path, entry.program.name, words)
            if entry.last.verdict == PASS:
                ms[entry.label] = entry.last.kernel_ms
                entry.rounds.setdefault(shape, []).append(entry.last.gflops)
                if steady := entry.record["steady"]:
                    entry.steady.setdefault(shape, []).append(steady["gflops"])
