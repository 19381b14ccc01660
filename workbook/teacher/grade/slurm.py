# SPDX-License-Identifier: MIT
"""Grading on a cluster: an array of jobs, each of which grades some submissions on a node of its
own, as what is timed needs the machine for itself. OUT and the workbook lie where all nodes see
them."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.process import run
from workbook.core.progress_bar import ProgressBar

MOST = 64  # jobs of an array
POLL = 2.0  # seconds
NAME = "gemm-grade"


def require() -> None:
    for program in "sbatch", "squeue", "scancel":
        if shutil.which(program) is None:
            raise UserError(
                f"LAUNCHER=slurm needs {program}: run it where jobs are submitted (slurm-client)"
            )


def parts(submissions: int) -> int:
    return min(submissions, MOST)


def submit(
    words: Sequence[str], out: Path, count: int, progress: ProgressBar, done: Callable[[], float]
) -> None:
    """Runs `grade WORDS --part K/COUNT` for each K, and waits. With a count of 0, one job: --part
    0/0."""
    folder = out / "slurm"
    folder.mkdir(exist_ok=True)
    array = [f"--array=0-{count - 1}"] if count else []
    part = f"--part ${{SLURM_ARRAY_TASK_ID:-0}}/{count}"
    command = f"exec {shlex.join([sys.executable, '-m', 'workbook', 'grade', *words])} {part}"
    kind = "part.%a" if count else "ranges"
    asked = ["sbatch", "--parsable", "--exclusive", f"--job-name={NAME}", f"--chdir={TOP}", *array]
    said = run([*asked, f"--output={folder}/{kind}.txt", f"--wrap={command}"], TOP, 60)
    job = said.out.strip().partition(";")[0]
    if said.status != 0 or not job.isdigit():
        raise UserError(f"sbatch takes no job: {said.err.strip() or said.out.strip()}")
    try:
        while waits(job):
            progress.show_only(f"Slurm job {job}")
            progress.done(done())
            time.sleep(POLL)
    except BaseException:
        run(["scancel", job], TOP, 60)
        raise


def waits(job: str) -> bool:
    """Is any task of it still to come, or running?"""
    said = run(["squeue", "--noheader", "--format=%T", f"--jobs={job}"], TOP, 60)
    return bool(said.out.strip()) if said.status == 0 else "Invalid job id" not in said.err
