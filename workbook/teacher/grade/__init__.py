# SPDX-License-Identifier: MIT
"""grade SUBMISSIONS OUT [LAB ...]: grades a class. Every submission has its record at the end,
whatever it did. What is graded by now stays graded: an interrupted run goes on, and a changed
submission is graded again."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.lock import lock
from workbook.lab.course import read_whole_course
from workbook.lab.limits import size_of
from workbook.teacher.grade import slurm
from workbook.teacher.grade.classroom import BATCH, grade_all, grade_by_slurm, outdated
from workbook.teacher.grade.compiling.builder import build_tools
from workbook.teacher.grade.compiling.machine import (
    CASE,
    CASE_FILES,
    RESULT,
    ROW,
    ROW_FILES,
    require_room,
)
from workbook.teacher.grade.compiling.sandbox import require_programs, require_sandbox
from workbook.teacher.grade.intake.names import submissions
from workbook.teacher.grade.intake.read_submission import take_all
from workbook.teacher.grade.log import Settings, open_log
from workbook.teacher.grade.publish.decisions import NAME as DECISIONS
from workbook.teacher.grade.publish.decisions import read_decisions, require_possible_here
from workbook.teacher.grade.publish.gradebook import publish

LEAST, MOST = 16, 1024
BEGUN = (".lock", ".new.", DECISIONS)  # all that there may be before the first run has its log
GOES_ON = "what is graded stays, the same command goes on"


def main(words: list[str]) -> int:
    options = parse(words)
    try:
        return grade(options, settings_of(options))
    except KeyboardInterrupt:
        print(f"grade: interrupted; {GOES_ON}", file=sys.stderr)
        raise


def grade(options: argparse.Namespace, settings: Settings) -> int:
    course = read_whole_course()
    labs = options.lab or list(course)
    missing = [lab for lab in labs if lab not in course]
    if missing:
        raise UserError(f"{missing[0]} is not in course.tsv, which says what it is worth")
    found = submissions(settings.submissions)
    names = [(name, folder) for name, folder, _ in found]
    decisions = read_decisions(settings.out / DECISIONS, names, course)
    settings.out.mkdir(parents=True, exist_ok=True)
    require_programs()
    if settings.slurm:
        slurm.require()
    build_tools()
    require_room_for(len(found), len(labs), settings)
    require_sandbox()
    if settings.part is not None:  # of an array of jobs, whose submitter has the lock
        grade_all(take_all(found, settings), open_log(settings, labs)[0], settings)
        return 0
    with lock(settings.out / ".lock"):
        terms, log = open_log(settings, labs)
        require_possible_here(decisions, terms)
        with goes_on():
            taken = take_all(found, settings)
            for one in terms:
                if one.changed and (count := outdated(taken, one, settings.out)):
                    print(
                        f"{one.lab.name}: graded anew, {count}: on other terms than before "
                        f"({one.changed})",
                        flush=True,
                    )
            if settings.slurm:
                grade_by_slurm(taken, terms, settings, [*words_of(settings), *labs])
            else:
                grade_all(taken, terms, settings, decisions)
            lines = publish(settings.out, taken, [one.lab.name for one in terms], log, decisions)
            print("\n".join(lines))
    return 0


@contextmanager
def goes_on() -> Iterator[None]:
    """Whatever ends a run, a disk that is full: one line says that nothing is lost."""
    try:
        yield
    except UserError as why:
        raise UserError(f"{why}; {GOES_ON}") from why
    except OSError as error:
        raise UserError(
            f"{error.filename or 'cannot write'}: {error.strerror}; {GOES_ON}"
        ) from error


def require_room_for(submissions: int, labs: int, settings: Settings) -> None:
    rows, kept = submissions * labs, min(submissions, BATCH) * labs
    jobs = min(settings.jobs, rows)
    size = jobs * RESULT + kept * CASE
    require_room(Path(tempfile.gettempdir()), size, (jobs + kept) * CASE_FILES, "TMPDIR")
    require_room(settings.out, rows * ROW, rows * ROW_FILES, "OUT")


def words_of(settings: Settings) -> list[str]:
    """The command line of a job."""
    return [
        str(settings.submissions),
        str(settings.out),
        f"--size={settings.size}",
        *([f"--jobs={settings.jobs}"] if settings.jobs_given else []),
    ]


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="grade",
        description="Grades a class: make grade SUBMISSIONS=dir OUT=dir [LABS='01 02'] [JOBS=n].",
        epilog=(
            "exit status: 0 every submission has its record, 2 bad usage, or no room: "
            "grading/README.md."
        ),
    )
    parser.add_argument(
        "submissions", help="a folder with a folder, .tar.gz or .zip of each student"
    )
    parser.add_argument("out", help="where the records, the gradebook and the pages go")
    parser.add_argument("lab", nargs="*", help="these alone, of course.tsv")
    parser.add_argument("--jobs", default="", help="how many at a time; as many as there are cores")
    parser.add_argument("--launcher", default="", help="slurm: as an array of jobs")
    parser.add_argument("--size", default="", help="of what is timed, 512")
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)  # of an array of jobs
    parser.add_argument("--seed", default="", help="of a former run, from its log: the same inputs")
    return parser.parse_intermixed_args(words)


def settings_of(options: argparse.Namespace) -> Settings:
    for name in "submissions", "out":
        if not getattr(options, name):
            raise UserError(
                f"{name.upper()} is not set: make grade SUBMISSIONS=submissions OUT=results"
            )
    size = size_of(options.size) if options.size else 512
    if not LEAST <= size <= MOST:
        raise UserError(f"SIZE={options.size}: of what is timed: give {LEAST} to {MOST}")
    jobs = options.jobs or str(os.cpu_count() or 1)
    if not jobs.isascii() or not jobs.isdigit() or not 1 <= int(jobs) <= 1024:
        raise UserError(f"JOBS={options.jobs}: how many at a time: give 1 to 1024")
    if options.launcher not in ("", "slurm"):
        raise UserError(f"LAUNCHER={options.launcher}: slurm, or leave it out")
    seed = options.seed or ""
    if seed and (len(seed) != 64 or any(c not in "0123456789abcdef" for c in seed)):
        raise UserError("SEED: 64 hexadecimal digits, as OUT/log of a former run has them")
    handed_in = Path(options.submissions).absolute()
    return Settings(
        submissions=handed_in,
        out=folder_of_results(options.out, handed_in.resolve()),
        size=size,
        jobs=int(jobs),
        seed=seed or secrets.token_hex(32),
        seed_given=bool(seed),
        slurm=options.launcher == "slurm",
        jobs_given=bool(options.jobs),
        part=part_of(options.part),
    )


def folder_of_results(given: str, handed_in: Path) -> Path:
    """Where OUT leads, by whatever link."""
    try:
        out = Path(given).resolve()
    except (OSError, RuntimeError) as error:
        raise UserError(f"OUT={given}: a link that leads back to itself") from error
    where = given if out == Path(given).absolute() else f"{given}, which is {out}"
    if out.exists() and not out.is_dir():
        raise UserError(f"OUT={where}: is no folder")
    if out in (TOP, *TOP.parents, handed_in, *handed_in.parents) or handed_in in out.parents:
        raise UserError(f"OUT={where}: choose a folder of its own, beside the submissions")
    if out.is_dir() and not (out / "log").exists():
        others = sorted(one.name for one in out.iterdir() if not one.name.startswith(BEGUN))
        if others:
            raise UserError(
                f"OUT={where}: has something else in it, {others[0]}: choose a folder of its own"
            )
    return out


def part_of(text: str) -> tuple[int, int] | None:
    """2/8: every eighth submission from the third on; 0/0: none, but what holds for all."""
    number, _, count = text.partition("/")
    return (int(number), int(count)) if text else None
