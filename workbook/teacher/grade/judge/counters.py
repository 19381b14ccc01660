# SPDX-License-Identifier: MIT
"""The counts by which course.tsv tells the idea of a lab: the kernel once more, as it is counted,
in a sandbox, for one call, whose inputs are secret and whose result the judge verifies. A kernel
that finds out that it is counted gains nothing: only what was right there counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbook.core.records import NoRecord
from workbook.handin.bench import Unfit, saying
from workbook.handin.compile import compiling
from workbook.profile import asked
from workbook.profile.asked import COUNTING, Asked
from workbook.profile.counts import unnamed
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
    name, in_c = work.lab.name, work.backend == "cpu"
    said = "\n".join(work.text(f"lab/{name}") for name in (work.source, "params.h"))
    if not in_c and work.holds("unseen") and (said := asked.unseen(said)):
        return asked.failed(name, said)
    now: dict[str, float] = {}
    line = ""
    if in_c and (why := asked.unreadable()):
        return Asked(None, f"no points for the idea: {why}")
    if in_c:
        work.build(*compiling(work), saying([*DISASSEMBLE.split(), "/out/object.o"], "listing"))
        now, line = asked.of_machine_code(work.text("built/listing"), work.source)
        if not now:
            return asked.failed(name, "no loop of its machine code multiplies")
    if in_c and work.task.bounds.keys() <= now.keys():
        return asked.judged(work.task, name, now, line)
    found = emptied(work.folder / "found")
    try:
        record, _ = judging.verify(counted(work, worker, found), call)
    except Unfit as why:  # its build that counts, or all of its time
        return asked.failed(name, why.reason)
    if work.holds("verdict") and (ended := why_not(record, call.seconds)):
        return asked.failed(name, ended)
    try:
        counts = unnamed(found)
    except NoRecord:
        return asked.failed(name, "it has no counts at its end")
    if said := asked.not_seen(counts, call.few[0]):
        return Asked(None, said) if in_c else asked.failed(name, said)
    return asked.judged(work.task, name, {**now, **asked.per_fma(counts, call.few[0])}, line)


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
