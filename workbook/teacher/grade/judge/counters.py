# SPDX-License-Identifier: MIT
"""What course.tsv asks of the counters of make profile: the kernel once more, as it is counted, in
a sandbox, for one call, whose inputs are secret and whose result the judge verifies. Who finds out
that they are counted gains nothing: only what was right there counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbook.core.records import NoRecord
from workbook.handin.bench import Unfit
from workbook.handin.compile import compiling
from workbook.profile import asked
from workbook.profile.asked import Asked
from workbook.profile.counts import unnamed
from workbook.teacher.grade.compiling.builder import Work
from workbook.teacher.grade.compiling.compile import linking
from workbook.teacher.grade.compiling.sandbox import Box
from workbook.teacher.grade.judge import judging
from workbook.teacher.grade.judge.robust import PROCESSES, emptied, own_words
from workbook.teacher.grade.judge.scoring import why_wrong
from workbook.teacher.grade.judge.workers import MOST, Worker

CALL = 60.0  # seconds of the processor
COUNTING = {  # of emulation.mk and engine.mk, less branches
    "cuda": ["-O1", "-fsanitize=thread", "-fno-tree-sra"],
    "opencl": ["-O0", "-fsanitize=thread"],
}
FILE = "PROFILE=/proc/self/fd/8"  # where the counters write


def count(work: Work, worker: Worker, call: judging.Asked) -> Asked:
    """Of a kernel that is right. `call`: its plan is counted, the rest is filled in here."""
    said = "\n".join(work.text(f"lab/{name}") for name in (work.source, "params.h"))
    if work.holds("unseen") and (said := asked.unseen(said)):
        return asked.failed(said)
    found = emptied(work.folder / "found")
    try:
        record, _ = judging.verify(counted(work, worker, found), call)
    except Unfit as why:  # its build that counts, or all of its time
        return asked.failed(why.reason)
    if work.holds("verdict") and (ended := why_not(record, call.seconds)):
        return asked.failed(ended)
    try:
        counts = unnamed(found)
    except NoRecord:
        return asked.failed("it has no counts at its end")
    return asked.judged(work.task, work.lab.name, counts, call.few[0])


def why_not(record: dict[str, Any], seconds: float) -> str:
    """The judge's one call; nothing where it was right."""
    if record["ended"] == "limit":
        return f"a call takes more than {seconds:g} s of the processor"
    return "" if record["verdict"] == "pass" else why_wrong(record)


def counted(work: Work, worker: Worker, found: Path) -> Worker:
    """It holds copies of the matrices, which are what is counted."""
    files = [(str(work.built), "/built")]
    beside = ("counts", "steps", "counting")
    link = linking(work, "counted", "common", beside=beside)
    work.build(*compiling(work, *COUNTING[work.backend], of_tool=True), *link)
    words = ["/built/counted", *own_words(work, worker)]
    box = Box(
        "tool",
        tuple(files),
        result=found,
        system=True,
        environment=(FILE,),
        memory=None,
        processes=PROCESSES,
        without=work.without,
    )
    return Worker(work, worker.shape, words, box, most=MOST)
