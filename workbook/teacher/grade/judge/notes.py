# SPDX-License-Identifier: MIT
"""What is told beside points, and changes none: a speed above what make ceilings measured here, the
GPU's clocks while it was timed, and whether the kernel is right on shapes that nobody has seen."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from workbook.handin.bench import Unfit
from workbook.lab.labs import Lab
from workbook.measure import ceilings
from workbook.teacher.grade.judge import judging, scoring
from workbook.teacher.grade.judge.judging import Asked
from workbook.teacher.grade.judge.speed import Timing
from workbook.teacher.grade.judge.workers import Worker, on_gpu

ABOVE = 1.05  # of the ceiling: so far two measurements differ
STEADY = 0.95  # of the highest clock that was seen, the lowest


@dataclass(frozen=True)
class Note:
    kind: str  # tools, anew, ceiling or gpu
    text: str
    odd: bool = False  # the instructor's page has it


def of_tools(unseen: tuple[str, ...]) -> list[Note]:
    """Nobody knows what they would have found."""
    why = "too slow, too large, or nothing that can be built for it"
    said = f"not seen to its end by {', '.join(unseen)}: {why}"
    return [Note("tools", said, odd=True)] if unseen else []


def drawn_anew(worker: Worker, asked: Asked) -> Note:
    """Shapes of this run alone, one of each kind: no kernel that was handed in again can know
    them."""
    try:
        record, _ = judging.verify(worker, replace(asked, class_seed=secrets.token_hex(32)))
    except Unfit as why:
        return Note("anew", f"on shapes drawn anew: {why.reason}", odd=True)
    shapes = record["shapes"]
    right = sum(shape["verdict"] == "pass" for shape in shapes)
    said = f"on shapes drawn anew in this run: {right} of {len(shapes)} right"
    if right == len(shapes):
        return Note("anew", said)
    return Note("anew", f"{said}: {scoring.why_wrong(record)}", odd=True)


def of_timing(
    lab: Lab, measured: Timing, size: int, threads: int, record: dict[str, Any]
) -> list[Note]:
    gflops = 2e-6 * size**3 / measured.ms
    most = ceiling(lab.backend) if lab.backend and on_gpu(lab) else threads * ceiling("cpu")
    return [*above_ceiling(gflops, most), *of_gpu(record["gpu"])]


@cache
def ceiling(backend: str) -> float:
    """GFLOP/s, of one core where it is a CPU, with its best instructions: the best of all that were
    measured here. 0: not known."""
    ceilings.ensure(backend, "float")
    found = [
        row
        for row in ceilings.read_table().values()
        if (row.backend, row.type) == (backend, "float")
    ]
    return max((speed for row in found for speed in (row.gflops, *row.sets.values())), default=0.0)


def above_ceiling(gflops: float, most: float) -> list[Note]:
    if not most or gflops <= ABOVE * most:
        return []
    said = f"{gflops:.4g} GFLOP/s, above the {most:.4g} that were measured as the most here"
    return [
        Note("ceiling", f"{said}: look at the kernel, or measure again: make ceilings", odd=True)
    ]


def of_gpu(said: dict[str, Any] | None) -> list[Note]:
    """NVML's, right behind each timed call."""
    if said is None:
        return []
    mhz, celsius = ("{} to {}".format(*said[key]) for key in ("mhz", "celsius"))
    text = f"the GPU ran at {mhz} MHz of {said['most_mhz']}, at {celsius} degrees Celsius"
    if said["throttled"]:
        text += f"; throttled in {said['throttled']} of {said['calls']} timed calls: "
        text += ", ".join(said["reasons"])
    slow = said["mhz"][0] < STEADY * said["mhz"][1]
    return [Note("gpu", text, odd=bool(said["throttled"]) or slow)]
