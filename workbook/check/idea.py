# SPDX-License-Identifier: MIT
"""Has a step its idea, where no count tells it from the step before? How many times as fast it is
tells the two apart: in the same run, interleaved, at a size where the README shows that the step
pays, which is PAYS in the lab's Makefile."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbook.core.progress_bar import ProgressBar
from workbook.core.typed import command
from workbook.lab.labs import Lab
from workbook.lab.program import PASS, time_program, timing_size
from workbook.lab.stages import Stage, before
from workbook.measure.interleave import ROUNDS, take_turns

ENOUGH = 2  # rounds in which it is as fast as is needed: one may be luck
ON_A_CPU = "512"  # what timing_size() says where a GPU's kernel runs on a CPU


@dataclass
class Idea:
    before: str = ""  # what it is compared with: regtile, lab02_avx
    size: str = ""
    needed: float | None = None  # None: no ratio decides here
    rounds: list[float] = field(default_factory=list)
    note: str = ""  # what is to be said of them, or why nothing decides here
    unknown: str = ""  # why they cannot be judged now, and what to do

    @property
    def is_there(self) -> bool:
        """Or nothing speaks against it, where that can be known."""
        return not self.is_missing and not self.unknown

    @property
    def is_missing(self) -> bool:
        """As soon as it has failed in so many rounds that those left are not enough."""
        return len(self.rounds) - self.reached > ROUNDS - ENOUGH

    @property
    def reached(self) -> int:
        return sum(self.needed is None or ratio >= self.needed for ratio in self.rounds)

    @property
    def summary(self) -> str:
        if not self.rounds:
            return self.note
        many, ratios = len(self.rounds), sorted(self.rounds)
        ratio = ratios[many // 2]
        times = (
            f" ({ratios[0]:.2f} to {ratios[-1]:.2f}, {many} times, interleaved)" if many > 1 else ""
        )
        needed = f", {self.needed:g} x is needed" if self.needed else ""
        note = f"; {self.note}" if self.note else ""
        return f"{ratio:.2f} x as fast as {self.before} at {self.size}{times}{needed}{note}"


def has_idea(stage: Stage, progress: ProgressBar) -> Idea:
    """Of a kernel that is right and built."""
    lab = stage.lab
    pays = next(((size, needed) for name, size, needed in lab.pays if name == stage.name), None)
    if pays is None:
        return Idea()
    if lab.emulated:
        return Idea(note="emulated: whether it is faster cannot be judged here")
    former = before(stage)
    if former is None or former.lab != lab:
        return Idea(note="nothing to compare it with")
    theirs = f"gemm_{former.name}"
    if theirs not in [program.name for program in lab.programs]:
        brings = f"{former.label} comes first: {command(lab.path, f'start STEP={former.name}')}"
        return Idea(unknown=f"there is nothing to compare it with; {brings}")
    idea = Idea(former.name, *pays)
    if lab.backend != "cpu" and timing_size(lab) == ON_A_CPU:
        idea.size, idea.needed = ON_A_CPU, None
        idea.note = "on this device no speed decides: the step is one for GPUs"
    with progress.at(f"{stage.label} and {idea.before}, interleaved"):
        compare(idea, lab, theirs, progress)
    return idea


def compare(idea: Idea, lab: Lab, theirs: str, progress: ProgressBar) -> None:
    """Until it is decided; once, where nothing is. What was disturbed does not count."""
    words, start, others = idea.size.split(), progress.seconds(), ""
    turns = take_turns(["gemm", theirs], 2 * ROUNDS if idea.needed else 1)
    results = (time_program(lab.path, program, words) for _, program in turns)
    for number, pair in enumerate(zip(results, results), 1):
        if failed := next((result for result in pair if result.verdict != PASS), None):
            idea.rounds, idea.note = [], f"no ratio: {failed.why}"
            return
        if unclaimed := next((result.why for result in pair if not result.gflops), None):
            idea.rounds, idea.note = [], unclaimed
            idea.unknown = unclaimed if idea.needed else ""
            return
        others = next((result.disturbed for result in pair if result.disturbed), "")
        if idea.needed and others:
            continue
        idea.note = others or idea.note
        idea.rounds.append(pair[0].gflops / pair[1].gflops)
        if not idea.needed or idea.reached >= ENOUGH or idea.is_missing:
            return
        each = (progress.seconds() - start) / number
        left = ENOUGH - 1 if idea.needed and idea.reached else ROUNDS - len(idea.rounds)
        progress.about = progress.seconds() + each * left
    idea.unknown = f"no speed can be judged: {others}; run it again when nothing else runs"
