# SPDX-License-Identifier: MIT
"""One setting at a time is built and run, in a copy of the lab."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import median

from workbook.core.progress_bar import ProgressBar
from workbook.lab import labs
from workbook.lab.labs import Lab, Program
from workbook.lab.program import FAIL, PASS, Result, run_program, time_program
from workbook.measure.interleave import ROUNDS, take_turns
from workbook.show.sweep import measure
from workbook.tune.space import Point, Space
from workbook.tune.study import REFUSED, RIGHT, WRONG, Study, Tried

OF_THE_DEVICE = ("error", "skip")  # what a program's record says where the device cannot run it
A_TASTE = ["16", "--once"]  # enough to learn which device it is


@dataclass(frozen=True)
class Bench:
    lab: Lab  # the copy
    program: Program
    settings: list[str]  # of make's command line

    def refuses(self, words: list[str]) -> bool:
        """Does params.h?"""
        settings = [*self.settings, *words]
        return labs.chosen(labs.describe(str(self.lab.path), settings), settings).tile is None

    def taste(self, words: list[str]) -> Result:
        """One small run, whose record names the device."""
        if unbuilt := self.build(words):
            return Result(self.program.name, FAIL, f"does not build: {unbuilt}")
        return run_program(self.lab.path, self.program.name, A_TASTE)

    def build(self, words: list[str]) -> str | None:
        return labs.build(self.lab, [self.program.name], [*self.settings, *words], anew=False)

    def measure(self, words: list[str]) -> Result:
        return measure(self.lab, self.program, words, self.settings)

    def keep(self, words: list[str], number: int) -> str | None:
        """Puts a program aside, to be measured interleaved with others; None, or why it cannot be
        built."""
        unbuilt = self.build(words)
        if unbuilt is None:
            folder = self.lab.path / str(number)
            folder.mkdir(exist_ok=True)
            shutil.copy(self.lab.path / self.program.name, folder)
        return unbuilt

    def digest(self, space: Space, given: Sequence[str]) -> str:
        """Of what a measurement hangs on: the sources, what is searched, what else was set."""
        known = sha256(repr((space, given)).encode())
        for name in (self.program.kernel, "params.h", *self.lab.files):
            path = self.lab.path / name
            known.update(path.read_bytes() if path.is_file() else b"")
        return known.hexdigest()[:16]


def judged(point: Point, result: Result) -> Tried:
    """What the device cannot run, or the compiler not build, is refused; so is a
    right kernel for which no speed is claimed. The others are wrong."""
    if result.gflops:
        return Tried(point, RIGHT, result.gflops)
    refused = result.verdict == PASS or not result.record
    refused = refused or result.record["verdict"] in OF_THE_DEVICE
    refused = refused or result.record["ended"] == "main"  # as a launch that the device refuses
    return Tried(point, REFUSED if refused else WRONG, why=result.summary)


def rank(
    bench: Bench, study: Study, points: list[Point], progress: ProgressBar
) -> list[tuple[Point, float]]:
    """The fastest of many noisy measurements was lucky, too: these are measured again, interleaved,
    some rounds. The medians, best first. Who fails a round is out, and the study knows it."""
    space, speeds = study.space, dict[Point, list[float]]()
    left = [
        point
        for number, point in enumerate(points)
        if bench.keep(space.words(point), number) is None
    ]
    for turn, point in take_turns(left, ROUNDS):
        number = points.index(point)
        progress.show_only(
            f"{bench.lab.name} round {turn + 1} of {ROUNDS}: {number + 1} of {len(points)}"
        )
        program = f"{number}/{bench.program.name}"
        result = time_program(bench.lab.path, program, bench.lab.size.split())
        if result.gflops:
            speeds.setdefault(point, []).append(result.gflops)
        else:
            study.add(judged(point, result))
            left.remove(point)
    ranked = [(point, median(speeds[point])) for point in left]
    return sorted(ranked, key=lambda one: (-one[1], one[0] != space.defaults))
