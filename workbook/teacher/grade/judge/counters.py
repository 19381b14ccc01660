# SPDX-License-Identifier: MIT
"""The counts by which course.tsv tells the idea of a lab: the kernel once more, as it is counted,
in a sandbox, for one call, whose inputs are secret and whose result the judge verifies. A kernel
that finds out that it is counted gains nothing: only what was right there counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from workbook.core.records import NoRecord
from workbook.handin.bench import Unfit, saying
from workbook.handin.compile import compiling
from workbook.profile import asked
from workbook.profile.asked import COUNTING, Asked
from workbook.profile.counts import Count, unnamed
from workbook.profile.x86.objdump import DISASSEMBLE
from workbook.teacher.grade.compiling.builder import Work
from workbook.teacher.grade.compiling.compile import linking
from workbook.teacher.grade.compiling.sandbox import Box
from workbook.teacher.grade.judge import judging
from workbook.teacher.grade.judge.robust import PROCESSES, emptied, own_words
from workbook.teacher.grade.judge.scoring import why_wrong
from workbook.teacher.grade.judge.workers import MOST, Worker

CALL = 60.0  # seconds of the processor
FILE = "PROFILE=/proc/self/fd/8"  # where the counters write
COUNTERS = {"cpu": "c", "cuda": "counting", "opencl": "counting"}  # of grading/build


def count(work: Work, worker: Worker, call: judging.Asked) -> Asked:
    """Of a kernel that is right. `call`: its plan is counted, the rest is filled in here."""
    text = "\n".join(work.text(f"lab/{name}") for name in (work.source, "params.h"))
    program = replace(work.lab.programs[0], tile=worker.shape.tile)
    lab = replace(work.lab, programs=(program,))

    def listing() -> str:
        work.build(*compiling(work), saying([*DISASSEMBLE.split(), "/out/object.o"], "listing"))
        return work.text("built/listing")

    def counts(size: tuple[int, int, int]) -> list[Count] | Asked:
        found, of_size = emptied(work.folder / "found"), replace(call, few=(size,))
        try:
            record, _ = judging.verify(counted(work, worker, found), of_size)
        except Unfit as why:  # its build that counts, or all of its time
            return asked.failed(lab.name, why.reason)
        if work.holds("verdict") and (ended := why_not(record, call.seconds)):
            return asked.failed(lab.name, ended)
        try:
            return unnamed(found)
        except NoRecord:
            return asked.failed(lab.name, "it has no counts at its end")

    return asked.decided(work.task, lab, text if work.holds("unseen") else "", listing, counts)


def why_not(record: dict[str, Any], seconds: float) -> str:
    """The judge's one call; nothing where it was right."""
    if record["ended"] == "limit":
        return f"a call takes more than {seconds:g} s of the processor"
    return "" if record["verdict"] == "pass" else why_wrong(record)


def counted(work: Work, worker: Worker, found: Path) -> Worker:
    """It holds copies of the matrices, which are what is counted."""
    files = [(str(work.built), "/built")]
    beside = ("counts", "steps", COUNTERS[work.backend])
    wrapped = ["-Wl,--wrap=gemm"] if work.backend == "cpu" else []
    link = linking(work, "counted", "common", *wrapped, beside=beside)
    work.build(*compiling(work, *COUNTING[work.backend], of_tool=True), *link)
    words = ["/built/counted", *own_words(work, worker)]
    box = Box(
        "tool",
        tuple(files),
        result=found,
        system=True,
        environment=(FILE, "OMP_NUM_THREADS=1"),
        memory=None,
        processes=PROCESSES,
        without=work.without,
    )
    return Worker(work, worker.shape, words, box, most=MOST)
