# SPDX-License-Identifier: MIT
"""How the judge is called, who asks a worker, and what it saw."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from workbook import TOP, UserError
from workbook.core.process import run
from workbook.core.records import NoRecord, read
from workbook.core.text import plain
from workbook.teacher.grade.compiling.builder import PATIENCE, TRIES, Overdue, Work
from workbook.teacher.grade.compiling.machine import NO_MEMORY, memory_kills, require_machine
from workbook.teacher.grade.compiling.sandbox import enclose, grading, own, unprivileged
from workbook.teacher.grade.judge.workers import Worker, on_gpu

CALL = 10  # seconds for one call of a kernel
# Seconds of the processor for all that a judge asks, by its plan; a busy machine takes longer.
JUDGED = {"shapes": 150.0, "speed": 300.0, "few": 400.0, "counted": 120.0, "anew": 60.0}
SHARED = 1 << 30  # bytes of the memory that the judge shares with it, a file
JUDGE = {
    "schema": "gemm-judge/1",
    "plan": str,
    "seed": str,
    "overhead_ms": (int, float, None),
    "clock": ("wall", "processor"),
    "reference_end": (str, None),
    "gpu": (dict, None),
    "started": bool,
    "end": (str, None),
    "at": (dict, None),
    "outside": (str, None),
    "growth": (str, None),
    "finding": (dict, None),
    "calls": [{"M": int, "N": int, "K": int, "class": str, "data": str, "verdict": str}],
}
# Those that the judge has: enum defence of judge.h.
IN_JUDGE = "fresh every secret whole fractions readonly freeze edges".split()
DEFENCES = {name: 1 << bit for bit, name in enumerate(IN_JUDGE)}


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


def judge(
    worker: Worker, asked: Asked, reference: Worker | None = None
) -> tuple[dict[str, Any], str]:
    """What the judge saw, and what the worker printed. A worker that did not come up, or that ended
    while the system had no memory, is asked once more, on a machine that is well."""
    for _ in range(TRIES):
        kills = memory_kills()
        said, printed = judge_once(worker, asked, reference)
        killed = said["end"] is not None and memory_kills() > kills
        if said["started"] and not killed:
            break
        require_machine(worker.work.folder)
    if killed:
        raise UserError(NO_MEMORY)
    return said, printed


def judge_once(
    worker: Worker, asked: Asked, reference: Worker | None
) -> tuple[dict[str, Any], str]:
    work = worker.work
    verdict = work.folder / f"verdict.{asked.plan}"
    verdict.mkdir(exist_ok=True)
    own(verdict)
    record, log = verdict / "judge.json", verdict / "log"
    record.unlink(missing_ok=True)
    switched = sum(DEFENCES.get(name, 0) for name in work.without)
    options = {
        "plan": asked.plan,
        "few": " ".join(f"{m},{n},{k}" for m, n, k in asked.few),
        "tile": worker.shape.around,
        "size": str(asked.size),
        "rounds": str(asked.rounds),
        "limit": str(round(asked.seconds * 1000)),
        "total": str(round(JUDGED[asked.plan] * 1000)),
        "memory": str(worker.most),
        "in_place": str(int(worker.in_place)),
        "in_c": str(int(work.backend == "cpu")),
        "without": str(switched),
        "record": str(record),
        "log": str(log),
    }
    if reference is not None:
        worker, reference = alone_on_its_core(worker), alone_on_its_core(reference)
        options |= clock_of(work)
    command = [
        str(grading() / "judge"),
        *(word for name, value in options.items() for word in (f"--{name}", value)),
    ]
    command += enclose(worker.command, worker.box)
    if reference is not None:
        command += ["::", *enclose(reference.command, reference.box)]
    seeds = {
        "GEMM_SEED": asked.seed,
        "GEMM_CLASS_SEED": asked.class_seed,
    }  # a command line is seen by all
    environment = {"PATH": os.environ["PATH"], **seeds}
    seconds = PATIENCE * JUDGED[asked.plan] + 60
    outcome = run([*unprivileged(), *command], TOP, seconds, environment, output=SHARED)
    try:
        said = read(record, JUDGE)
    except NoRecord as error:
        if outcome.timed_out:
            raise Overdue("FAIL", f"all calls together take more than {seconds:g} s") from error
        ended = f"is ended by signal {-outcome.status}" if outcome.status < 0 else error
        raise UserError(
            f"the judge fails at {work.lab.name}: {plain(outcome.err) or ended}"
        ) from error
    return said, log.read_bytes()[: 64 << 10].decode("utf-8", "replace")
