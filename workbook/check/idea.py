# SPDX-License-Identifier: MIT
"""Has a step its idea? A kernel may be right, and that of the step before in other words. How many times as
fast it is tells the two apart: in the same run, in turns, at a size where the README shows that the step
pays, which is PAYS in the lab's Makefile."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbook.core.progress_bar import Progress
from workbook.core.typed import command
from workbook.lab import labs
from workbook.lab.program import PASS, time_program, timing_size
from workbook.lab.stages import Stage, stages

ROUNDS = 5
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
        return len(self.rounds) == ROUNDS and self.reached < ENOUGH

    @property
    def reached(self) -> int:
        return sum(self.needed is None or ratio >= self.needed for ratio in self.rounds)

    @property
    def told(self) -> str:
        if not self.rounds:
            return self.note
        many, ratios = len(self.rounds), sorted(self.rounds)
        ratio = ratios[many // 2]
        times = f" ({ratios[0]:.2f} to {ratios[-1]:.2f}, {many} times in turns)" if many > 1 else ""
        needed = f", {self.needed:g} x is needed" if self.needed else ""
        note = f"; {self.note}" if self.note else ""
        return f"{ratio:.2f} x as fast as {self.before} at {self.size}{times}{needed}{note}"


def has_idea(stage: Stage, progress: Progress) -> Idea:
    """Of a kernel that is right and built."""
    lab = stage.lab
    pays = next(((size, needed) for name, size, needed in lab.pays if name == stage.name), None)
    if pays is None:
        return Idea()
    if lab.emulated:
        return Idea(note="emulated: whether it is faster cannot be judged here")
    former = before(stage)
    if former is None and (brings := brings_before(stage)):
        return Idea(unknown=f"there is nothing to compare it with; {brings}")
    if former is None:
        return Idea(note="nothing to compare it with")
    name = former[1][len("gemm_") :] if former[0] == lab.path else former[0].name
    idea = Idea(name, *pays)
    if lab.backend != "cpu" and timing_size(lab) == ON_A_CPU:
        idea.size, idea.needed = ON_A_CPU, None
        idea.note = "on this device no speed decides: the step is one for GPUs"
    with progress.at(f"{stage.label} and {idea.before} in turns"):
        compare(idea, (lab.path, "gemm"), former, progress)
    return idea


def before(stage: Stage) -> tuple[Path, str] | None:
    """The folder and the program of the step before, or of the lab before, which is built."""
    lab, names = stage.lab, [one.name for one in stages(stage.lab)]
    at = names.index(stage.name)
    if at > 0:
        program = f"gemm_{names[at - 1]}"
        return (lab.path, program) if any(one.name == program for one in lab.programs) else None
    path = labs.before(lab)
    if path is None:
        return None
    former = labs.describe(str(path), [])
    if former.backend != lab.backend or former.unfinished or labs.build(former, ["gemm"], [], anew=False):
        return None
    return path, "gemm"


def brings_before(stage: Stage) -> str:
    """What does; "" where its backend begins."""
    names = [one.name for one in stages(stage.lab)]
    at, path = names.index(stage.name), labs.before(stage.lab)
    if at > 0:
        return f"the step before comes first: {command(stage.lab.path, f'start STEP={names[at - 1]}')}"
    if path is None or labs.describe(str(path), []).backend != stage.lab.backend:
        return ""
    return f"the lab before comes first: {command(path, 'start')}"


def compare(idea: Idea, ours: tuple[Path, str], theirs: tuple[Path, str], progress: Progress) -> None:
    """Until it is decided; once, where nothing is. What was disturbed does not count."""
    words, start, disturbed = idea.size.split(), progress.seconds(), 0
    while len(idea.rounds) < (ROUNDS if idea.needed else 1):
        results = [time_program(*program, words) for program in (ours, theirs)]
        if any(result.verdict != PASS for result in results):
            idea.rounds, idea.note = [], "no ratio: " + next(r.why for r in results if r.verdict != PASS)
            return
        others = next((result.disturbed for result in results if result.disturbed), "")
        if idea.needed and others:
            disturbed += 1
            if disturbed > ROUNDS:
                idea.unknown = f"no speed can be judged: {others}; run it again when nothing else runs"
                return
            continue
        idea.note = others or idea.note
        idea.rounds.append(results[0].gflops / results[1].gflops)
        if idea.needed and idea.reached >= ENOUGH:
            return
        each = (progress.seconds() - start) / (len(idea.rounds) + disturbed)
        left = ENOUGH - 1 if idea.needed and idea.reached else ROUNDS - len(idea.rounds)
        progress.about = progress.seconds() + each * left
