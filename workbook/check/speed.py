# SPDX-License-Identifier: MIT
"""How many times as fast as the lab before. Near what is needed for points one measurement is luck:
there both labs are measured again, interleaved, and the median of the rounds decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbook.lab.program import PASS, Result, run_program
from workbook.measure.interleave import ROUNDS, take_turns

NEAR = 0.15  # of what is needed; or the spread of the times, where that is wider


@dataclass
class Speed:
    record: dict[str, Any] = field(default_factory=dict)  # of the first run; empty: not timed
    before: str = ""  # the lab that it is compared with
    needed: float | None = None
    rounds: list[float] = field(default_factory=list)  # a speed-up each
    note: str = ""  # why there is none
    failure: str = ""  # what went wrong while it was timed
    disturbed: str = ""  # what ran beside it

    @property
    def gflops(self) -> float:
        return self.record.get("gflops") or 0.0

    @property
    def speedup(self) -> float | None:
        return sorted(self.rounds)[len(self.rounds) // 2] if self.rounds else None

    @property
    def reached(self) -> bool:
        return self.needed is not None and self.speedup is not None and self.speedup >= self.needed

    @property
    def summary(self) -> str:
        """The speed-up in words; "" where there is none."""
        needed = f", {self.needed:g} x is needed" if self.needed else ""
        return (
            "" if self.speedup is None else f"{self.speedup:.2f} x as fast as {self.before}{needed}"
        )


def measure(folder: Path, size: str) -> Result:
    return run_program(folder, "gemm", size.split())


def compare(speed: Speed, lab: Path, before: Path, former: Speed, size: str) -> None:
    """Fills in the rounds; in the first, both were measured already."""
    if not speed.gflops:
        return
    if not former.gflops:
        speed.note = f"no speed-up: {before.name} has no speed here"
        return
    speed.before = before.name
    speed.disturbed = speed.disturbed or former.disturbed
    speed.rounds = [speed.gflops / former.gflops]
    if not is_near(speed, former.record):
        return
    results = (measure(folder, size) for _, folder in take_turns([lab, before], ROUNDS - 1))
    for ours, theirs in zip(results, results):
        if not theirs.gflops:
            speed.note = f"measured {len(speed.rounds)} times, then {before.name}: {theirs.why}"
            return
        if ours.verdict != PASS:
            speed.failure = ours.why
            return
        if not ours.gflops:
            speed.note = f"measured {len(speed.rounds)} times, then {ours.why}"
            return
        speed.disturbed = speed.disturbed or ours.disturbed or theirs.disturbed
        speed.rounds.append(ours.gflops / theirs.gflops)


def is_near(speed: Speed, former: dict[str, Any]) -> bool:
    if speed.needed is None or speed.speedup is None:
        return False
    margin = 1 + max(NEAR, (speed.record["spread"] or 0) + (former["spread"] or 0))
    return speed.needed / margin < speed.speedup < speed.needed * margin
