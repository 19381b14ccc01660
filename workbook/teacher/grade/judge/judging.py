# SPDX-License-Identifier: MIT
"""How the judge and pairs of grading/ are called, who ask a guest, and what they saw."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from workbook import TOP, UserError
from workbook.core.process import Outcome, run
from workbook.core.records import RUN, NoRecord, read
from workbook.core.text import plain
from workbook.teacher.grade.compiling.builder import PATIENCE, TRIES, Overdue, Work
from workbook.teacher.grade.compiling.machine import NO_MEMORY, memory_kills, require_machine
from workbook.teacher.grade.compiling.sandbox import enclose, grading, own, unprivileged
from workbook.teacher.grade.judge import plan
from workbook.teacher.grade.judge.plan import Shape
from workbook.teacher.grade.judge.workers import Worker, on_gpu

CALL = 10  # seconds for one call of a kernel
# Seconds of the processor for all that is asked, by its plan; a busy machine takes longer.
JUDGED = {"shapes": 150.0, "speed": 300.0, "few": 400.0, "counted": 120.0, "anew": 60.0}
UNSTARTED = "start"  # the end of a guest that did not come to its first word
PRINTED = 64 << 10  # bytes of what a guest prints
SHARED = 1 << 30  # bytes of the memory that is shared with it, a file
PAIRS = {
    "schema": "gemm-pairs/1",
    "overhead_ms": (int, float, None),
    "clock": ("wall", "processor"),
    "reference_end": (str, None),
    "gpu": (dict, None),
    "end": (str, None),
    "at": (dict, None),
    "finding": (dict, None),
    "calls": [{"M": int, "N": int, "K": int, "data": str, "verdict": str}],
}


@dataclass(frozen=True)
class Asked:
    """How a kernel is judged: seeds of 64 hexadecimal digits."""

    plan: str  # shapes, speed, few, counted or anew
    seed: str
    class_seed: str
    size: int  # of what is timed
    rounds: int = 7
    seconds: float = CALL
    few: tuple[tuple[int, int, int], ...] = ()  # shapes for a tool, or for counters

    def shapes(self, worker: Worker) -> list[Shape]:
        in_c = worker.work.backend == "cpu"
        holds = plan.Class(worker.shape.around, self.size, in_c, self.class_seed)
        if self.plan == "speed":
            return plan.rounds(holds, self.rounds, self.seed)
        if self.few:
            return plan.for_tool(self.few, holds, self.seed, self.plan == "counted")
        return plan.anew(holds) if self.plan == "anew" else plan.every(holds)


def clock_of(work: Work) -> dict[str, str]:
    """One thread has one core, and the time that it computes there; several of them, and a GPU, are
    faster on a wall clock alone."""
    if on_gpu(work.lab):
        return {"clock": "wall", "cores": "0", "gpu": "1"}
    threads = work.task.threads if work.backend == "cpu" else 1
    return {"clock": "wall" if threads > 1 else "processor", "cores": str(threads)}


def alone_on_its_core(worker: Worker) -> Worker:
    """OpenCL on a CPU has as many threads as there are cores, which would wait for each other on
    one: PoCL to version 4, and later."""
    if worker.work.backend != "opencl" or on_gpu(worker.work.lab):
        return worker
    one = ("POCL_MAX_PTHREAD_COUNT=1", "POCL_CPU_MAX_CU_COUNT=1")
    return replace(worker, box=replace(worker.box, environment=(*worker.box.environment, *one)))


def verify(worker: Worker, asked: Asked) -> tuple[dict[str, Any], str]:
    """The record of ./gemm --check, with what was not tried any more, and what the guest printed.
    One that did not come up, or that ended while the system had no memory, is asked once more, on a
    machine that is well."""
    shapes = asked.shapes(worker)
    for _ in range(TRIES):
        kills = memory_kills()
        said, printed = call("judge", worker, asked, shapes, RUN)
        killed = said["ended"] is not None and memory_kills() > kills
        if said["ended"] != UNSTARTED and not killed:
            break
        require_machine(worker.work.folder)
    if killed:
        raise UserError(NO_MEMORY)
    said["shapes"] = with_skipped(said["shapes"], shapes)
    return said, printed


def with_skipped(done: list[dict[str, Any]], planned: list[Shape]) -> list[dict[str, Any]]:
    """Of a kind with which it crashed, or did not end, no other shape is tried."""
    left = iter(done)
    at = next(left, None)
    every = []
    for one in planned:
        if at and (at["M"], at["N"], at["K"], at["class"]) == one[:4]:
            every.append(at)
            at = next(left, None)
        else:
            skipped = {"class": one.kind, "verdict": "skipped", "method": ""}
            every.append({"M": one.M, "N": one.N, "K": one.K, **skipped})
    return every


def time(worker: Worker, asked: Asked, reference: Worker) -> dict[str, Any]:
    """Pairs of its calls and the reference's."""
    worker, reference = alone_on_its_core(worker), alone_on_its_core(reference)
    words = ["::", *enclose(reference.command, reference.box)]
    more = clock_of(worker.work)
    return call("pairs", worker, asked, asked.shapes(worker), PAIRS, words, more)[0]


def path_of(program: str) -> str:
    return str(grading() / program)


def call(
    program: str,
    worker: Worker,
    asked: Asked,
    shapes: Iterable[Shape],
    pattern: dict[str, Any],
    reference: list[str] | None = None,
    more: dict[str, str] | None = None,
) -> tuple[dict[str, Any], str]:
    work = worker.work
    verdict = work.folder / f"verdict.{asked.plan}"
    verdict.mkdir(exist_ok=True)
    own(verdict)
    record, log = verdict / "record.json", verdict / "log"
    record.unlink(missing_ok=True)
    options = {
        "backend": "cpu" if work.backend == "cpu" or worker.in_place else work.backend,
        "tile": ",".join(map(str, worker.shape.around)),
        "call": str(round(asked.seconds * 1000)),
        "total": str(round(JUDGED[asked.plan] * 1000)),
        "memory": str(worker.most),
        "copied": str(int(not worker.in_place)),
        "record": str(record),
        "log": str(log),
        **(more or {}),
    }
    command = [
        *unprivileged(),
        path_of(program),
        *(word for name, value in options.items() for word in (f"--{name}", value)),
        *enclose(worker.command, worker.box),
        *(reference or []),
    ]
    # A command line is seen by all.
    key = sha256(asked.seed.encode()).hexdigest()[:32]
    environment = {"PATH": os.environ["PATH"], "GEMM_KEY": key}
    seconds = PATIENCE * JUDGED[asked.plan] + 60
    with TemporaryFile() as given:
        given.write("".join(f"{shape}\n" for shape in shapes).encode())
        given.seek(0)
        outcome = run(command, TOP, seconds, environment, output=SHARED, given=given)
    return said_by(work, outcome, record, pattern), beginning(log, PRINTED)


def said_by(work: Work, outcome: Outcome, record: Path, pattern: dict[str, Any]) -> dict[str, Any]:
    """The record. Whoever was ended has none, or one that is not complete."""
    try:
        said = read(record, pattern)
        if said.get("verdict") not in ("incomplete", "error") or said["ended"]:
            return said
        problem = said["reason"] or "its record is incomplete"
    except NoRecord as error:
        problem = str(error)
    if outcome.timed_out:
        why = f"all calls together take more than {outcome.limit:g} s"
        raise Overdue("FAIL", why)
    ended = f"is ended by signal {-outcome.status}" if outcome.status < 0 else problem
    raise UserError(f"the judge fails at {work.lab.name}: {plain(outcome.err) or ended}")


def beginning(path: Path, most: int) -> str:
    """Of what somebody in a sandbox has written, so many bytes."""
    with open(path, "rb") as file:
        return file.read(most).decode("utf-8", "replace")
