# SPDX-License-Identifier: MIT
"""bench LAB ...: times every program of the labs at several sizes, SIZES, in GFLOP/s at the
median."""

from __future__ import annotations

import os

from workbook.core.progress_bar import ProgressBar
from workbook.core.text import unit, wrap
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab
from workbook.lab.limits import sizes_of
from workbook.lab.program import PASS, SKIP, Result, skipped, time_program

SIZES = "256 512 1024"
A_TIME = 3.0  # seconds, about


def in_short(result: Result) -> str:
    if result.verdict == PASS:
        return f"{result.gflops:.4g}" if result.gflops else "right"
    return "skip" if result.verdict == SKIP else result.verdict


def bench(lab: Lab, sizes: list[str], settings: list[str], progress: ProgressBar) -> bool:
    """Prints the table of a lab; is all of it right?"""
    progress.print(
        f"{f'{lab.name}, {unit(lab.type)}':<30}" + "".join(f"{size:>10}" for size in sizes)
    )
    if lab.skip is None:
        progress.show_only(f"{lab.name} is built")
        if unbuilt := labs.build(lab, ["all"], settings, anew=False):
            progress.print("\n".join(wrap(f"does not build: {unbuilt}")))
            return False
    right = True
    for program in lab.climb:
        results = []
        for size in sizes:
            progress.show_only(f"{lab.name} {program.name} {size}")
            if program.skip is not None:
                results.append(skipped(program.name, program.skip))
            else:
                results.append(time_program(lab.path, program.name, [size]))
        label = f"{program.name}, a step" if program.step else program.name
        cells = "".join(f"{in_short(result):>10}" for result in results)
        reasons = dict.fromkeys(result.summary for result in results if result.summary)
        beside = (
            f"{size}: {result.disturbed}"
            for size, result in zip(sizes, results)
            if result.disturbed
        )
        notes = [line for said in (*reasons, *beside) for line in wrap(said)]
        progress.print("\n".join([f"  {label:<28}{cells}", *notes]))
        right = right and all(result.verdict in (PASS, SKIP) for result in results)
    return right


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "bench",
        words,
        "Times every program of the labs at several sizes, in GFLOP/s at the median.",
        f"SIZES: '{SIZES}'; LIMIT: seconds for one run.",
        all_variants=True,
    )
    sizes = sizes_of(os.environ.get("SIZES") or SIZES)
    programs = sum(len(lab.programs) for lab in described)
    with ProgressBar("bench", A_TIME * programs * len(sizes)) as progress:
        right = [bench(lab, sizes, settings, progress) for lab in described]
    return 0 if all(right) else 1
