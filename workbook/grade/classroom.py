# SPDX-License-Identifier: MIT
"""All submissions, lab by lab: what is still to be graded is built and judged on all cores, then timed one
at a time, with nothing beside it. A record is written as soon as it is there."""

from __future__ import annotations

import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from workbook import TOP, Mistake, labs
from workbook.course import Task, read_whole_course
from workbook.grade import slurm, speed
from workbook.grade.build import Work
from workbook.grade.case import SCHEMA, Case, Terms, beginnings, ranged, reference_worker
from workbook.grade.intake import Submission
from workbook.grade.marks import INCONCLUSIVE
from workbook.grade.robust import required
from workbook.grade.workers import NVIDIA, Asked, gpu
from workbook.labs import Lab
from workbook.meter import Progress
from workbook.process import run
from workbook.records import NoRecord, now, read, write
from workbook.stages import suffix
from workbook.tasks import at_once

LOG = "gemm-grading/1"
ROUNDS = 7
EMULATED_SIZE = 64  # of a large problem, where there is no GPU
RANGE_ROUNDS = 9
RANGE_TRIES = 4
BATCH = 12  # submissions whose programs are kept until they are timed
A_CASE = 4.0  # seconds, about
A_TIMING = 3.0


@dataclass(frozen=True)
class Settings:
    submissions: Path
    out: Path
    size: int
    jobs: int
    seed: str
    seed_given: bool = False
    slurm: bool = False
    jobs_given: bool = False
    part: tuple[int, int] | None = None  # of an array of jobs
    rounds: int = ROUNDS


# ---- what holds for the class ----------------------------------------------------------------------
def open_log(settings: Settings, names: list[str]) -> tuple[list[Terms], dict[str, Any]]:
    """OUT/log: versions, seed, settings, and how far the reference is from the lab before. A run that goes on
    takes over what a former one wrote there."""
    path = settings.out / "log"
    log = read_log(path, settings)
    course = read_whole_course()
    terms = [terms_of(labs.describe(str(TOP / name), []), course[name], log) for name in names]
    for one in terms:
        required(Work(one.lab, one.task, settings.out))
    added = [one for one in terms if one.lab.name not in log["labs"]]
    for one in added:
        log["labs"][one.lab.name] = {"range": None, "why": "", "task": vars(one.task)}
    if added:
        write_log(path, log)
    return terms, log


def write_log(path: Path, log: dict[str, Any]) -> None:
    """Who has its seed knows what is asked: its owner alone reads it."""
    write(path, log)
    path.chmod(0o600)


def read_log(path: Path, settings: Settings) -> dict[str, Any]:
    if not path.exists():
        return {
            "schema": LOG,
            **now(),
            "seed": settings.seed,
            "size": settings.size,
            "rounds": settings.rounds,
            "versions": versions(),
            "labs": {},
        }
    try:
        log = read(path, {"schema": LOG, "seed": str, "size": int, "rounds": int, "labs": dict})
    except NoRecord as error:
        raise Mistake(
            f"{path}: {error}: it has the seed of what is graded here: choose another OUT"
        ) from error
    if settings.seed_given and log["seed"] != settings.seed:
        raise Mistake(f"{path}: what is here was graded with another SEED: choose another OUT")
    if log["size"] != settings.size:
        raise Mistake(
            f"{path}: what is here was graded with SIZE={log['size']}: choose another OUT, or that size"
        )
    return log


def versions() -> dict[str, str]:
    def first(*command: str) -> str:
        lines = run(list(command), TOP, 20).out.splitlines()
        return lines[0] if lines else ""

    return {
        "system": platform.platform(),
        "processor": next(
            (
                line.partition(": ")[2]
                for line in Path("/proc/cpuinfo").read_text().splitlines()
                if "model name" in line
            ),
            platform.machine(),
        ),
        "compiler": first("cc", "--version"),
        "bubblewrap": first("bwrap", "--version"),
        "valgrind": first("valgrind", "--version"),
        "oclgrind": first("oclgrind", "--version"),
        "python": platform.python_version(),
    }


def terms_of(lab: Lab, task: Task, log: dict[str, Any]) -> Terms:
    path = labs.before(lab)
    former = labs.describe(str(path), []) if path else None
    starts = beginnings(lab, former if former and suffix(former) == suffix(lab) else None)
    return Terms(lab, task, log["seed"], size_for(lab, log["size"]), log["rounds"], starts)


def size_for(lab: Lab, size: int) -> int:
    """Four times as large on a GPU, for which the other is over before it has begun; emulated, as small as
    will do."""
    if lab.backend == "cuda":
        return 4 * size if gpu() else EMULATED_SIZE
    return 4 * size if lab.backend == "opencl" and gpu() and NVIDIA.is_file() else size


def find_ranges(terms: list[Terms], log: dict[str, Any], folder: Path, progress: Progress) -> None:
    """Beside which worker each lab is timed, and how far that is from the lab before. Once for a class."""
    for one in terms:
        entry = log["labs"][one.lab.name]
        if one.task.fast == 0:
            one.no_speed = "course.tsv gives no points for its speed"
        elif one.lab.backend == "cuda" and not gpu():
            one.no_speed = "emulated on a CPU: right or wrong, never how fast"
        elif entry["why"]:
            one.no_speed = entry["why"]
        else:
            with progress.at(f"{one.lab.name}, reference"):
                one.reference = reference_worker(one.lab, one.task, folder / one.lab.name)
                one.range = entry["range"] or 0.0
                if not one.range:
                    measure_range(one, entry, folder)


def measure_range(one: Terms, entry: dict[str, Any], folder: Path) -> None:
    path = labs.before(one.lab)
    if path is None:
        raise Mistake(
            f"{one.lab.name} is the first lab: it has no lab before it to be faster than: course.tsv"
        )
    lab = labs.describe(str(path), [])
    former = reference_worker(
        lab, read_whole_course().get(lab.name, one.task), folder / f"before.{one.lab.name}"
    )
    said: speed.Timing | None = None
    for number in range(RANGE_TRIES):
        asked = Asked(
            "speed", one.seed_of("range", str(number)), one.seed_of("class"), one.size, RANGE_ROUNDS
        )
        said = ranged(one, former, asked)
        if said is not None and said.error < 0.05:
            break
    assert said is not None
    times = 1 / said.ratio
    if times < speed.LEAST_RANGE:
        entry["why"] = (
            f"here the reference is {times:.2f} times as fast as the lab before: no points for speed"
        )
        one.reference, one.no_speed = None, entry["why"]
    else:
        entry["range"] = one.range = round(times, 3)


# ---- grading ---------------------------------------------------------------------------------------
def record_path(out: Path, submission: Submission, lab: str) -> Path:
    return out / submission.folder / f"{lab}.json"


def is_graded(path: Path, case: Case) -> bool:
    """By this run or a former one, as it is now. What was inconclusive is graded again."""
    try:
        record = read(path, {"schema": SCHEMA, "digest": str, "seed": str, "verdict": str, "submission": str})
    except NoRecord:
        return False
    same = (record["digest"], record["seed"], record["submission"]) == (
        case.digest,
        case.terms.seed,
        case.submission.name,
    )
    return same and record["verdict"] != INCONCLUSIVE


@contextmanager
def workshop() -> Iterator[Path]:
    """Where submissions are built: those who are confined must reach it, wherever the workbook lies."""
    with tempfile.TemporaryDirectory(prefix="gemm-grade.") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def cases(submissions: list[Submission], terms: list[Terms], out: Path, folder: Path) -> list[Case]:
    """What is still to be graded."""
    found = []
    for number, submission in enumerate(submissions):
        for one in terms:
            case = Case(submission, one, folder / f"{number}.{one.lab.name}")
            if not is_graded(record_path(out, submission, one.lab.name), case):
                found.append(case)
    return found


def grade_all(submissions: list[Submission], terms: list[Terms], settings: Settings) -> None:
    """Those of this part, where there are several."""
    number, count = settings.part or (0, 1)
    mine = submissions[number::count] if count else []
    with workshop() as folder:
        owed = cases(mine, terms, settings.out, folder)
        if not owed and count:
            return
        log = read_log(settings.out / "log", settings)
        progress = Progress("grade", len(owed) * A_CASE / settings.jobs)
        try:
            find_ranges(terms, log, folder / "references", progress)
            if settings.part in (None, (0, 0)):
                write_log(settings.out / "log", log)
            done = 0
            for batch in batches(owed, BATCH * len(terms)):
                grade_batch(batch, settings, progress)
                done += len(batch)
                progress.done(done / len(owed))
        finally:
            progress.clear()


def grade_by_slurm(
    submissions: list[Submission], terms: list[Terms], settings: Settings, words: list[str]
) -> None:
    """First what holds for the class, on a node; then the submissions."""

    def graded() -> float:
        left = len(cases(submissions, terms, settings.out, settings.out))
        return 1 - left / (len(submissions) * len(terms))

    if graded() == 1:
        return
    progress = Progress("grade", len(submissions) * len(terms) * A_CASE)
    try:
        slurm.submit(words, settings.out, 0, progress, graded)
        slurm.submit(words, settings.out, slurm.parts(len(submissions)), progress, graded)
    finally:
        progress.clear()
    left = cases(submissions, terms, settings.out, settings.out)
    unheard = [c for c in left if not record_path(settings.out, c.submission, c.terms.lab.name).exists()]
    if unheard:
        raise Mistake(
            f"{len(unheard)} labs have no record, as jobs failed: {settings.out}/slurm/ has what they said; "
            "the same command goes on"
        )


def batches(owed: list[Case], size: int) -> Iterator[list[Case]]:
    for first in range(0, len(owed), size):
        yield owed[first : first + size]


def grade_batch(batch: list[Case], settings: Settings, progress: Progress) -> None:
    at_once([partial(examine, case, settings.out, progress) for case in batch], progress, settings.jobs)
    queue = [case for case in batch if not case.over]
    while queue:
        case = queue.pop(0)
        with progress.at(f"{case.submission.folder} {case.terms.lab.name}, timed"):
            case.time()
        if case.over:
            save(case, settings.out)
        else:  # behind the others, when the machine may be calmer
            queue.append(case)
    for case in batch:
        shutil.rmtree(case.folder, ignore_errors=True)


def examine(case: Case, out: Path, progress: Progress) -> None:
    with progress.at(f"{case.submission.folder} {case.terms.lab.name}"):
        case.examine()
    if case.over:
        save(case, out)


def save(case: Case, out: Path) -> None:
    write(record_path(out, case.submission, case.terms.lab.name), case.record())
