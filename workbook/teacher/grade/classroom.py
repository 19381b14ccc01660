# SPDX-License-Identifier: MIT
"""All submissions, lab by lab: what is still to be graded is built and judged on all cores, then
timed one at a time, with nothing beside it. A record is written as soon as it is there."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from workbook import UserError
from workbook.core.parallel import run_all
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import NoRecord, read, write
from workbook.teacher.grade import slurm
from workbook.teacher.grade.class_setup import Terms, find_ranges
from workbook.teacher.grade.compiling.sandbox import place
from workbook.teacher.grade.grade_lab import SCHEMA, Case, read_case
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.judge.scoring import INCONCLUSIVE
from workbook.teacher.grade.log import Settings, read_log, write_log
from workbook.teacher.grade.publish.decisions import Decisions, require_possible_here

BATCH = 12  # submissions whose programs are kept until they are timed
A_CASE = 4.0  # seconds, about
A_RANGE = 15.0


def record_path(out: Path, submission: Submission, lab: str) -> Path:
    return out / submission.folder / f"{lab}.json"


def verdict_of(case: Case, out: Path) -> str:
    """By this run or a former one, as it was handed in, and on the terms of now; or nothing."""
    terms = case.terms
    try:
        record = read_case(record_path(out, case.submission, terms.lab.name))
    except NoRecord:
        return ""
    of = (record["digest"], record["seed"], record["terms"], record["submission"])
    same = of == (case.digest, terms.seed, terms.scale, case.submission.name)
    return str(record["verdict"]) if same else ""


def outdated(submissions: list[Submission], one: Terms, out: Path) -> int:
    """How many have a record of this lab on other terms."""
    count = 0
    for submission in submissions:
        with suppress(NoRecord):
            record = read(record_path(out, submission, one.lab.name), {"schema": SCHEMA})
            count += record.get("terms") != one.scale  # records had none once
    return count


@contextmanager
def build_folder() -> Iterator[Path]:
    """Where submissions are built."""
    folder = place()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cases(submissions: list[Submission], terms: list[Terms], out: Path, folder: Path) -> list[Case]:
    """What is still to be graded."""
    found = []
    for number, submission in enumerate(submissions):
        for one in terms:
            case = Case(submission, one, folder / f"{number}.{one.lab.name}")
            if verdict_of(case, out) in ("", INCONCLUSIVE):  # what was too noisy is graded again
                found.append(case)
    return found


def grade_all(
    submissions: list[Submission],
    terms: list[Terms],
    settings: Settings,
    decisions: Decisions | None = None,
) -> None:
    """Those of this part, where there are several."""
    number, count = settings.part or (0, 1)
    mine = submissions[number::count] if count else []
    with build_folder() as folder:
        owed = cases(mine, terms, settings.out, folder)
        if not owed and count:
            return
        log = read_log(settings.out / "log", settings)
        unknown = sum(not one.no_speed and not log["labs"][one.lab.name]["range"] for one in terms)
        about = unknown * A_RANGE + len(owed) * A_CASE / settings.jobs
        with ProgressBar("grade", about) as progress:
            measure_ranges(terms, log, folder / "references", settings, progress)
            require_possible_here(decisions or {}, terms)
            grade_owed(owed, terms, settings, progress)
            # Once more, when the machine may be calmer, as after another start of the same command.
            unsure = [one for one in terms if one.trouble]
            measure_ranges(unsure, log, folder / "references.again", settings, progress)
            if sure := [one for one in unsure if not one.trouble]:
                grade_owed(cases(mine, sure, settings.out, folder), sure, settings, progress)


def measure_ranges(
    terms: list[Terms],
    log: dict[str, Any],
    folder: Path,
    settings: Settings,
    progress: ProgressBar,
) -> None:
    find_ranges(terms, log, folder, progress)
    if settings.part in (None, (0, 0)):
        write_log(settings.out / "log", log)


def grade_owed(
    owed: list[Case], terms: list[Terms], settings: Settings, progress: ProgressBar
) -> None:
    steps = Steps(progress, 2 * len(owed))
    for batch in batches(owed, BATCH * len(terms)):
        grade_batch(batch, settings, steps)


def grade_by_slurm(
    submissions: list[Submission], terms: list[Terms], settings: Settings, words: list[str]
) -> None:
    """First what holds for the class, on a node; then the submissions."""

    def graded() -> float:
        left = len(cases(submissions, terms, settings.out, settings.out))
        return 1 - left / (len(submissions) * len(terms))

    if graded() == 1:
        return
    with ProgressBar("grade", len(submissions) * len(terms) * A_CASE) as progress:
        slurm.submit(words, settings.out, 0, progress, graded)
        slurm.submit(words, settings.out, slurm.parts(len(submissions)), progress, graded)
    left = cases(submissions, terms, settings.out, settings.out)
    unheard = [case for case in left if not verdict_of(case, settings.out)]
    if unheard:
        raise UserError(
            f"without a record: {len(unheard)}, as jobs failed: {settings.out}/slurm/ has what "
            "they said"
        )


def batches(owed: list[Case], size: int) -> Iterator[list[Case]]:
    for first in range(0, len(owed), size):
        yield owed[first : first + size]


class Steps:
    """How far all is: to examine a case is a step, to time it another one."""

    def __init__(self, progress: ProgressBar, count: int) -> None:
        self.progress, self.count, self.taken = progress, count, 0
        self.start = progress.seconds()  # what came before, the references, comes but once
        self.guard = threading.Lock()

    def take(self, steps: int) -> None:
        with self.guard:
            self.taken += steps
            self.progress.done(self.taken / self.count, self.start)


def grade_batch(batch: list[Case], settings: Settings, steps: Steps) -> None:
    progress = steps.progress
    run_all(
        [partial(examine, case, settings.out, steps) for case in batch], progress, settings.jobs
    )
    queue = [case for case in batch if not case.over]
    while queue:
        case = queue.pop(0)
        with of(case, progress, ", timed"):
            case.time()
        if case.over:
            save(case, settings.out)
            steps.take(1)
        else:  # behind the others, when the machine may be calmer
            queue.append(case)
    for case in batch:
        shutil.rmtree(case.folder, ignore_errors=True)


@contextmanager
def of(case: Case, progress: ProgressBar, what: str = "") -> Iterator[None]:
    """Whose turn it is; and was, where the machine is at fault."""
    name = f"{case.submission.folder} {case.terms.lab.name}"
    try:
        with progress.at(name + what):
            yield
    except UserError as why:
        raise UserError(f"{name}: {why}") from why
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # by what it made
        case.give_up(f"the grader failed at it: {type(error).__name__}: {error}")
    except OSError as error:
        where = error.filename or case.folder.parent
        raise UserError(f"{name}: cannot write to {where}: {error.strerror}") from error


def examine(case: Case, out: Path, steps: Steps) -> None:
    with of(case, steps.progress):
        case.examine()
    if case.over:
        save(case, out)
    steps.take(2 if case.over else 1)


def save(case: Case, out: Path) -> None:
    write(record_path(out, case.submission, case.terms.lab.name), case.record())
