# SPDX-License-Identifier: MIT
"""check LAB ...: verifies every program of the labs over the battery of shapes, and its kernel with
other tunables; looks for missing barriers and for what is touched outside of A, B and C, times each
lab against the one before it, counts what course.tsv has limits for, and grades them by that.
Writes build/check.json."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from workbook import UserError
from workbook.check.counters import ask
from workbook.check.grade import Grade
from workbook.check.other import handed_in, of_other, of_step
from workbook.check.race import Race, by_traps, needs_tools, race
from workbook.check.record import RECORD, as_json, expected, save
from workbook.check.refused import refusal
from workbook.check.speed import Speed, compare, measure
from workbook.check.table import table
from workbook.check.words.unshared import with_source
from workbook.core.lock import lock
from workbook.core.parallel import run_all
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import write
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.course import BEYOND, Task, read_course
from workbook.lab.labs import Lab
from workbook.lab.program import FAIL, PASS, SKIP, TODO, Result, run_program, skipped, timing_size
from workbook.lab.stages import borrowed, repeated
from workbook.lab.workspace import Workspace
from workbook.profile.asked import require_counters

Step = Callable[[Grade, list[str], ProgressBar], None]
LARGER = ("600 520 530",)  # than the battery's shapes, and no round size
LARGER_EMULATED = ("300 260 270",)  # a barrier for each k takes a minute there
# C has arrays of a fixed size: A, or B, is larger than one of 1024 x 1024, which make run takes.
LARGER_C = (*LARGER, "1250 3 1100", "3 1100 1250")


def verify(grade: Grade, settings: list[str], progress: ProgressBar) -> None:
    run_programs(grade, settings, progress)
    first = next(iter(grade.programs), None)
    if (
        first is not None
        and first.verdict == PASS
        and (former := borrowed(grade.lab) or repeated(Workspace(grade.lab).stage))
    ):
        reason = f"not done yet: the code of {grade.lab.programs[0].kernel} is that of {former}"
        grade.programs[0] = replace(first, verdict=TODO, reason=reason)
    if grade.lab.backend == "cpu" and grade.lab.skip is None:
        grade.race = by_traps(grade.lab, grade.programs)
    grade.verified = True


def run_programs(grade: Grade, settings: list[str], progress: ProgressBar) -> None:
    """Builds a lab and runs each of its programs over the battery, and the first on a larger
    problem."""
    lab = grade.lab
    if lab.skip is not None:
        grade.programs = [skipped(program.name, lab.skip) for program in lab.programs]
        return
    with progress.at(f"{lab.name} is built"):
        grade.unbuilt = labs.build(lab, ["all"], settings) or ""
    with progress.at(f"{lab.name} as it is handed in"):
        grade.refusal = refusal(lab)
    if grade.unbuilt:
        return
    for program in lab.programs:
        if program.skip is not None:
            grade.programs.append(skipped(program.name, program.skip))
            continue
        with progress.at(f"{lab.name} {program.name}"):
            result = run_program(lab.path, program.name, ["--check"])
            grade.programs.append(with_source(result, lab.path / program.kernel))
    if grade.programs[0].verdict == PASS:
        with progress.at(f"{lab.name} larger"):
            grade.programs += larger(lab)
    if grade.programs[0].verdict == PASS:
        with progress.at(f"{lab.name} with other tunables"):
            other = of_other(lab, settings)
        if other and other.verdict == FAIL:
            grade.programs.append(other)
        elif other:
            grade.warning = other.reason
    if grade.programs[0].verdict == PASS and (own := of_step(lab, settings)):
        with progress.at(f"{lab.name} with params.h alone"):
            alone = handed_in(lab, settings)
            grade.alone = replace(run_program(alone.path, "gemm", ["--check"]), settings=own)
        if grade.alone.verdict == PASS:
            grade.graded = alone


def larger(lab: Lab) -> list[Result]:
    """What is wrong with its kernel at the first larger problem that it does not pass."""
    shapes = LARGER_C if lab.backend == "cpu" else LARGER_EMULATED if lab.emulated else LARGER
    results = (run_program(lab.path, "gemm", [*one.split(), "--reps", "1"]) for one in shapes)
    return list(islice((one for one in results if one.verdict != PASS), 1))


def look_for_races(grade: Grade, settings: list[str], progress: ProgressBar) -> None:
    if grade.lab.unfinished is not None:
        grade.race = Race(SKIP, "not done yet")
        return
    with progress.at(f"{grade.lab.name} race"):
        grade.race = race(grade.lab, settings, grade.has_stopped)


def count_all(
    grades: list[Grade], worth: dict[str, Task], settings: list[str], progress: ProgressBar
) -> None:
    """Of those for whose idea course.tsv has limits."""
    for grade in grades:
        task = worth.get(grade.lab.name)
        if task is not None and task.idea and grade.is_right:
            with progress.at(f"{grade.lab.name} is counted"):
                grade.counted = ask(grade.graded, task, settings)
            save(grade, settings)


def time_all(
    grades: list[Grade], worth: dict[str, Task], settings: list[str], progress: ProgressBar
) -> None:
    """One program at a time, and nothing beside it."""
    former: Grade | None = None
    sizes: dict[str | None, str] = {}
    for grade in grades:
        lab = grade.lab
        if grade.is_right and not lab.emulated:
            progress.show_only(f"{lab.name} is timed")
            if lab.backend not in sizes:
                sizes[lab.backend] = timing_size(lab)
            is_before = former is not None and former.lab.path == labs.before(lab)
            time_lab(
                grade,
                former if is_before else None,
                worth.get(lab.name),
                sizes[lab.backend],
                settings,
            )
            save(grade, settings)
        former = grade


def time_lab(
    grade: Grade, former: Grade | None, worth: Task | None, size: str, settings: list[str]
) -> None:
    lab = grade.graded
    ours = measure(lab.path, size)
    needed = worth.times if worth else None
    grade.speed = Speed(ours.record, needed=needed, disturbed=ours.disturbed)
    if ours.verdict != PASS:
        grade.speed.failure = ours.why
        return
    grade.speed.note = ours.why
    former = former or beside(grade, size, settings)
    if former is not None and former.lab.backend == lab.backend:
        compare(grade.speed, lab.path, former.lab.path, former.speed, size)


def beside(grade: Grade, size: str, settings: list[str]) -> Grade | None:
    """The lab before one that was given without it, built as it is and timed."""
    path = labs.before(grade.lab)
    if path is None:
        return None
    others = labs.of_others(settings, grade.lab)
    try:
        former = Grade(labs.describe(str(path), others))
    except UserError as mistake:  # the lab before is not the one that is checked
        grade.speed.note = f"no speed-up: {mistake}"
        return None
    if former.lab.backend == grade.lab.backend and labs.build(former.lab, ["gemm"], others) is None:
        result = measure(path, size)
        former.speed = Speed(
            result.record if result.verdict == PASS else {}, disturbed=result.disturbed
        )
    return former


def verify_and_look(grade: Grade, settings: list[str], progress: ProgressBar) -> None:
    """Of a CPU lab traps look at A, B and C, and the tools at what else costs points: a kernel's
    own memory, what nobody has set, undefined behaviour."""
    verify(grade, settings, progress)
    traps = grade.race
    if traps.verdict == PASS:
        look_for_races(grade, settings, progress)
        grade.race = grade.race if grade.race.verdict == FAIL else traps


def kept(step: Step, grade: Grade, settings: list[str], progress: ProgressBar) -> None:
    """An interrupted check loses nothing that was found."""
    step(grade, settings, progress)
    save(grade, settings)


def check(grades: list[Grade], worth: dict[str, Task], settings: list[str]) -> dict[str, Any]:
    owed = [grade for grade in grades if needs_tools(grade.lab)]
    with ProgressBar("check", expected(grades)) as progress:
        # The longest first, the labs at the end of the ladder. Programs before tools: for a kernel
        # that does not end, no tool is tried.
        tasks = [
            partial(kept, verify_and_look, grade, settings, progress) for grade in reversed(grades)
        ]
        tasks += [partial(kept, look_for_races, grade, settings, progress) for grade in owed]
        run_all(tasks, progress)
        count_all(grades, worth, settings, progress)
        time_all(grades, worth, settings, progress)
    return as_json(grades, worth, settings, progress.seconds())


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "check",
        words,
        "Verifies and grades labs. Settings pass through make: make check TYPE=double BLOCK=8.",
        "LIMIT: seconds for one run, 120.",
    )
    worth = read_course() | (read_course(BEYOND) if BEYOND.is_file() else {})
    for lab in described:
        if lab.name in worth:
            require_counters(lab, worth[lab.name])
    with lock(RECORD.with_name("check.lock")):
        grades = [Grade(lab) for lab in dict.fromkeys(described)]  # each once
        record = check(grades, worth, settings)
        try:
            write(RECORD, record)
        finally:  # a full disk does not take the verdict
            print(table(grades, record, settings), end="")
    return 1 if record["failed"] else 0
