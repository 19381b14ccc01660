# SPDX-License-Identifier: MIT
"""scaling LAB: times a lab on 1 to all ranks and several sizes, fits a model to some of the runs,
checks it on the others, and says what would break first on 10,000. Writes build/scaling.json and
build/scaling.svg."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from workbook import TOP, UserError
from workbook.advanced.scaling import model
from workbook.advanced.scaling.draw import draw
from workbook.advanced.scaling.model import Model, Point
from workbook.core.files import temp_folder
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import now, write
from workbook.lab import labs
from workbook.lab.labs import Lab
from workbook.lab.limits import size_of, sizes_of
from workbook.lab.program import time_program
from workbook.measure.interleave import take_turns

SIZES = "256 384 512 768 1024 1536 2048"
RANKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
ROUNDS = 3  # interleaved, as a machine has slow minutes
NOISE = 0.2  # of the rounds of a run: what differs more is not believed
A_RUN = 2.0  # seconds, about
JSON, SVG = TOP / "build/scaling.json", TOP / "build/scaling.svg"


@dataclass
class Run:
    ranks: int
    size: int
    rounds: list[float] = field(default_factory=list)  # ms, each the median of its repetitions
    use: str = "noise"  # or fit, or check
    predicted: float = 0.0

    @property
    def ms(self) -> float:
        return median(self.rounds)

    @property
    def spread(self) -> float:
        return (max(self.rounds) - min(self.rounds)) / self.ms

    @property
    def error(self) -> float:
        return self.predicted / self.ms - 1


def numbers_of_ranks() -> list[int]:
    said = os.environ.get("RANKS")
    if not said:
        return [ranks for ranks in RANKS if ranks <= len(os.sched_getaffinity(0))]
    if not re.fullmatch(r" *[1-9]\d{0,3}( +[1-9]\d{0,3})* *", said):
        raise UserError(f"RANKS={said}: give numbers of ranks, as RANKS='1 2 4'")
    return sorted({int(word) for word in said.split()})


def measure(lab: Lab, runs: list[Run], settings: list[str]) -> str:
    """Fills in the rounds; the device. Each number of ranks has a copy of the lab, built for it."""
    device = ""
    with (
        ProgressBar("scaling", A_RUN * ROUNDS * len(runs)) as progress,
        temp_folder("scaling") as work,
    ):
        counts = sorted({run.ranks for run in runs})
        copies = {ranks: labs.copy_to(lab, work / str(ranks)) for ranks in counts}
        for ranks, copy in copies.items():
            progress.show_only(f"{lab.name} is built for {ranks} ranks")
            if unbuilt := labs.build(copy, ["gemm"], [*settings, f"RANKS={ranks}"]):
                raise UserError(f"{lab.name} does not build: {unbuilt}")
        for _, run in take_turns(runs, ROUNDS):
            with progress.at(f"{run.ranks} ranks, {run.size}"):
                result = time_program(copies[run.ranks].path, "gemm", [str(run.size)])
            if not result.gflops:
                raise UserError(f"{lab.name} with {run.ranks} ranks, {run.size}: {result.summary}")
            run.rounds.append(result.kernel_ms)
            device = result.record["device"]
    return device


def fitted(runs: Sequence[Run]) -> Model:
    """To all that can be believed but the largest size of each number of ranks: these are to check
    it, as what the model is for is larger still."""
    believed = [run for run in runs if run.spread <= NOISE]
    for run in believed:
        largest = max(other.size for other in believed if other.ranks == run.ranks)
        run.use = "check" if run.size == largest else "fit"
    chosen = [run for run in believed if run.use == "fit"]
    if len(chosen) < 4 or max(run.ranks for run in chosen) == 1:
        believable = f"only {len(believed)} of {len(runs)} runs can be believed"
        why = "too few for a model: nothing else may run beside it, or more SIZES"
        raise UserError(f"{believable}, {why}")
    costs = [model.cost(run.size, run.ranks) for run in chosen]
    found = model.fit(costs, [run.ms * 1e-3 for run in chosen])
    for run in runs:
        run.predicted = found.seconds(model.cost(run.size, run.ranks)) * 1e3
    return found


def run_as_record(run: Run) -> dict[str, Any]:
    said = {"ranks": run.ranks, "N": run.size, "rounds_ms": run.rounds, "spread": run.spread}
    return {**said, "use": run.use, "predicted_ms": run.predicted}


def point_as_record(one: Point) -> dict[str, Any]:
    size = {"ranks": one.ranks, "N": one.size}
    return {**size, "efficiency": one.efficiency, "most": one.largest}


def as_record(
    lab: Lab, device: str, runs: Sequence[Run], found: Model, kinds: dict[str, list[Point]]
) -> dict[str, Any]:
    checked = [abs(run.error) for run in runs if run.use == "check"]
    broken = {name: model.breaks(points) for name, points in kinds.items()}
    return {
        "schema": "gemm-scaling/1",
        **now(),
        **{"lab": lab.name, "device": device, "type": lab.type},
        "runs": [run_as_record(run) for run in runs],
        "model": {
            "gflops": 1e-9 / found.operation,
            "latency_us": found.message * 1e6 or None,
            "gbs": 1e-9 / found.byte if found.byte else None,
        },
        "worst_error": max(checked),
        **{name: list(map(point_as_record, points)) for name, points in kinds.items()},
        "breaks": {
            name: {"ranks": at.ranks, "by": at.largest} if at else None
            for name, at in broken.items()
        },
    }


def tell(record: dict[str, Any], runs: Sequence[Run]) -> None:
    uses = {"noise": "too noisy to believe", "check": "checks", "fit": ""}
    print(f"{record['lab']}, {record['device']}")
    print(f"{'ranks':>5} {'N':>6} {'ms':>9} {'model':>9} {'error':>7}")
    for run in runs:
        numbers = f"{run.ranks:>5} {run.size:>6} {run.ms:>9.2f} {run.predicted:>9.2f}"
        print(f"{numbers} {run.error:>7.0%}  {uses[run.use]}".rstrip())
    says = record["model"]
    latency = f"{says['latency_us']:.3g} us" if says["latency_us"] else "not seen in these runs"
    bandwidth = f"{says['gbs']:.3g} GB/s" if says["gbs"] else "not seen in these runs"
    print(f"\na rank computes      {says['gflops']:.4g} GFLOP/s")
    print(f"a message takes      {latency}")
    print(f"what is sent has     {bandwidth}")
    print(f"runs not made of it  {record['worst_error']:.0%} off at most")
    for name, what in ("strong", "one problem,"), ("weak", "as much each,"):
        at = record["breaks"][name]
        said = "half and more, to 10,000 ranks"
        if at:
            said = f"below half at {at['ranks']} ranks, by {at['by']}"
        print(f"{what:<13} N = {record[name][0]['N']}: {said}")
    print("If more ranks were connected as these are, and nothing hid behind the computing.")
    print(f"{JSON}\n{SVG}")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scaling",
        description="Times a lab on several numbers of ranks; a model says what 10,000 would do.",
        epilog=f"RANKS: '1 2 4', else up to the cores here; SIZES: '{SIZES}'.",
    )
    parser.add_argument("lab", help="its folder: advanced/lab21_mpi")
    settings = [s for s in labs.given() if s.partition("=")[0] != "RANKS"]
    lab = labs.describe(str(Path(parser.parse_args(words).lab)), settings)
    if not lab.ranks:
        raise UserError(f"{lab.name} has no ranks: make scaling LAB=21")
    if lab.skip is not None:
        raise UserError(f"{lab.name}: {lab.skip}")
    sizes = sorted({size_of(word) for word in sizes_of(os.environ.get("SIZES") or SIZES)})
    ranks = numbers_of_ranks()
    if len(ranks) < 2 or len(sizes) < 3:
        raise UserError(
            "takes two numbers of ranks and three sizes, or more: RANKS='1 2' SIZES='256 512 1024'"
        )
    runs = [Run(many, size) for many in ranks for size in sizes]
    device = measure(lab, runs, settings)
    found = fitted(runs)
    kinds = {"strong": model.strong(found, sizes[-1]), "weak": model.weak(found, sizes[-1])}
    record = as_record(lab, device, runs, found, kinds)
    write(JSON, record)
    last = {run.ranks: run.ms for run in runs if run.size == sizes[-1] and run.use != "noise"}
    fewest = min(last, default=0)
    shares = {many: last[fewest] * fewest / (ms * many) for many, ms in last.items()}
    draw(SVG, device, kinds["strong"], kinds["weak"], shares)
    tell(record, runs)
    return 0
