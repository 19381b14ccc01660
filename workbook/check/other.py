# SPDX-License-Identifier: MIT
"""With other tunables than the defaults a kernel must be right, too: who writes 16 where GROUP_X
belongs is right by luck. Where a number stands in the place of a tunable that the task names,
nothing changes. And with params.h alone, where a step has settings of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbook.core.files import temp_folder
from workbook.lab import labs
from workbook.lab.labs import Lab
from workbook.lab.program import FAIL, PASS, Result, run_program, skipped
from workbook.lab.stages import LAST, text_of
from workbook.lab.workspace import Workspace
from workbook.race.build import build
from workbook.race.say import emulated

ALONE = "(make check alone asks for it: make grade takes the values of params.h)"
WORD = re.compile(r"\w+")
MULTIPLES = ("8", "16", "32")
REFUSED = re.compile(r"#\s*error|static.assert", re.IGNORECASE)
PLACE = re.compile(r"(\w+\.\w+):(\d+)")


def of_other(lab: Lab, settings: Sequence[str]) -> Result | None:
    """Of the lab's own kernel; None: it is right, or refuses them, or they are settled, on the
    command line or by params.h. A PASS is a warning: it is right with some of them."""
    if not lab.other or any(word.partition("=")[0] in lab.tunables for word in settings):
        return None
    program = lab.programs[0]
    if name := unused(lab):
        value = dict(lab.defaults)[name]
        reason = (
            f"{program.kernel} does not use {name}, which its task names: is {value} written in "
            f"its place, or is its idea not there yet? {ALONE}"
        )
        return Result(program.name, FAIL, reason, settings=lab.other)
    wrong: list[Result] = []
    with temp_folder("other") as work:
        for words in (lab.other, *candidates(lab)):
            result = run_with(lab, settings, words, work)
            if result.verdict == PASS:
                if not wrong:
                    return None
                said = warning(lab, wrong[-1].settings, how(wrong[-1]), words)
                return replace(result, reason=said)
            # A candidate that cannot be run may be too large for the device.
            named = result.finding or emulated.findings(result.reason, lab.programs[0].kernel)
            if result.verdict == FAIL and (named or words == lab.other):
                wrong.append(result)
    if not wrong:
        return None
    first = wrong[0]
    reason = (
        f"with {' '.join(first.settings)} {how(first)}: is a number written where one of these "
        f"belongs? {ALONE}"
    )
    return replace(first, reason=reason, record=without_cause(first.record))


def run_with(lab: Lab, settings: Sequence[str], words: tuple[str, ...], work: Path) -> Result:
    """A skip if the kernel refuses these values."""
    program = lab.programs[0]
    folder, problem = build(lab, program, [*settings, *words], work)
    if problem:
        result = Result(program.name, FAIL, f"does not build: {problem}")
    else:
        result = run_program(folder, program.name, ["--check"])
    if result.verdict == FAIL and not result.finding and is_refusal(result.reason, folder):
        return skipped(program.name, result.reason)
    return replace(result, settings=words)


def is_refusal(said: str, folder: Path) -> bool:
    """By an #error or an assertion. Of an #error clang names only the line."""
    place = PLACE.search(said)
    if place and (folder / place[1]).is_file():
        said += "\n".join(text_of(folder / place[1]).split("\n")[int(place[2]) - 1 :][:1])
    return REFUSED.search(said) is not None


def candidates(lab: Lab) -> list[tuple[str, ...]]:
    """For the tunables of OTHER, what a kernel is right with that needs a multiple of 4, 8 or 32.
    None has its default, with which a number in its place is right, too."""
    own = {**dict(lab.defaults), **values(lab.programs[0].settings)}
    names = values(lab.other)
    rows = [[f"{name}={n}" for n in MULTIPLES if n != own.get(name)] for name in names]
    return list(zip(*rows))


def values(words: Sequence[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def warning(lab: Lab, bad: Sequence[str], what: str, good: Sequence[str]) -> str:
    """Of a kernel that is wrong with some values and right with other ones than its own."""
    pairs = [(name, int(n), int(values(good).get(name, n))) for name, n in values(bad).items()]
    needs = (
        (n, name) for n in (4, 8, 16, 32) for name, no, yes in pairs if no % n and yes % n == 0
    )
    n, name = next(needs, (4, pairs[0][0]))
    word = "static_assert" if lab.backend == "cuda" else "_Static_assert"
    return (
        f"with {' '.join(bad)} {what}; with {' '.join(good)} it is right, and loses no points. If "
        f"{name} must be a multiple of {n}, say so in {lab.programs[0].kernel}: "
        f'{word}({name} % {n} == 0, "a multiple of {n}");'
    )


def of_step(lab: Lab, settings: Sequence[str]) -> tuple[str, ...]:
    """What the Makefile sets for the step that a student writes, and make grade does not."""
    step = Workspace(lab).stage.name != LAST
    return tuple(one for one in lab.programs[0].settings if step and one not in settings)


def handed_in(lab: Lab, settings: list[str]) -> Lab:
    """Built with params.h alone: no step is known without mine/."""
    folder = lab.path / "build/handed_in"
    shutil.rmtree(folder, ignore_errors=True)
    path = labs.copy_to(lab, folder).path
    shutil.rmtree(path / "mine")
    alone = labs.describe(str(path), settings)
    labs.build(alone, ["gemm"], settings)
    return alone


def how(result: Result) -> str:
    if result.finding:
        return "it is wrong at {M} x {N} x {K}".format(**result.finding)
    return f"it fails ({result.reason})"


def without_cause(record: dict[str, Any]) -> dict[str, Any]:
    """With the defaults it is right: what else the shapes look like is not the cause."""
    finding = record.get("finding")
    return {**record, "finding": {**finding, "kind": None, "cause": None}} if finding else record


def unused(lab: Lab) -> str:
    """The first tunable that the task names and the kernel never reads, also by what params.h makes
    of it. Of a CPU lab that has a task: without it, the kernel is right whatever its value.
    Elsewhere they say what is launched."""
    if lab.backend != "cpu" or (found := task_and_used(lab)) is None:
        return ""
    task, used = found
    params = text_of(lab.path / "params.h")
    for name, meaning in re.findall(r"^#define (\w+) (.*)", params, re.MULTILINE)[::-1]:
        if name in used and name not in lab.tunables:
            used |= words_of(meaning)
    return next((name for name, _ in lab.defaults if name in task and name not in used), "")


def replaced(lab: Lab) -> str:
    """A tunable that the task names, in words: nobody reads it, or of a kernel for GPUs, its value
    is written."""
    if name := unused(lab):
        return f"{name} is not used, which the task names"
    found = task_and_used(lab) if lab.backend != "cpu" else None
    task, used = found or (set(), set())
    if used & {"blockDim", "get_local_size"}:  # it asks what was launched
        return ""
    for name, value in lab.defaults:
        if name in task - used and value in used and value not in ("0", "1"):
            same = [other for other, equal in lab.defaults if equal == value and other in task]
            names = " or ".join(same)
            return (
                f"{value} is written: is it {names}, which the task names? make check tries others"
            )
    return ""


def task_and_used(lab: Lab) -> tuple[set[str], set[str]] | None:
    """The words of both; None: there is no task."""
    kernel, stage = lab.path / lab.programs[0].kernel, Workspace(lab).stage
    files = kernel, lab.path / "params.h", lab.path / "start" / stage.file
    if not all(path.is_file() for path in files):
        return None
    return words_of(stage.goal.replace("//", "")), words_of(text_of(kernel))


def words_of(code: str) -> set[str]:
    """How far a loop is unrolled is no size of what is computed."""
    return set(WORD.findall(re.sub(r"//.*|/\*.*?\*/|(?<=unroll )\d+", "", code)))
