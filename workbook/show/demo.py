# SPDX-License-Identifier: MIT
"""demo LAB ...: builds, runs, verifies and times every program of the labs, and draws the ladder. A
terminal sees it grow, with bars scaled to the best so far."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from workbook import TOP
from workbook.core.progress_bar import ProgressBar, has_colours, is_terminal
from workbook.core.text import unit
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab
from workbook.lab.program import FAIL, SKIP, Result, skipped, time_program, timing_size
from workbook.measure import ceilings
from workbook.show import ladder
from workbook.show.ladder import Row

A_ROW = 2.5  # seconds, about


Speeds = dict[str, float]  # GFLOP/s of labs, by name


def climb(described: list[Lab], settings: list[str], progress: ProgressBar) -> Iterator[Row]:
    """Backend by backend: another's speed says nothing, and what is compared is measured close
    together."""
    speeds: dict[str | None, Speeds] = {}
    sizes: dict[str | None, str] = {}
    backends = [lab.backend for lab in described]
    for lab in sorted(described, key=lambda lab: backends.index(lab.backend)):
        if lab.skip is None:
            progress.show_only(f"{lab.name} is built")
            if unbuilt := labs.build(lab, ["all"], settings, anew=False):
                yield Row(lab.name, lab.name, Result("gemm", FAIL, f"does not build: {unbuilt}"))
                speeds.setdefault(lab.backend, {})[lab.name] = 0.0
                continue
        if lab.backend not in sizes:
            if lab.backend is not None and lab.skip is None and not lab.emulated:
                progress.show_only("what this machine can do at most, unless that is known")
                ceilings.ensure(lab.backend, lab.type)
            sizes[lab.backend] = timing_size(lab)
        yield from rows(lab, speeds.setdefault(lab.backend, {}), sizes[lab.backend], progress)


def rows(lab: Lab, speeds: Speeds, size: str, progress: ProgressBar) -> Iterator[Row]:
    path = labs.before(lab)
    # Of one beside the ladder, the row above.
    before = step = speeds.get(path.name if path else next(reversed(speeds), ""), 0.0)
    for program in lab.climb:
        label = f"  step {program.variant}" if program.step else f"  {program.variant}"
        own = f"{ladder.LIBRARY}{lab.name}" if lab.is_library else lab.name
        name = f"{lab.name}, {program.variant}" if program.variant else lab.name
        progress.show_only(f"{lab.name} {program.name} {size}")
        if program.skip is not None:
            result = skipped(program.name, program.skip)
        else:
            result = time_program(lab.path, program.name, size.split())
        than = 0.0 if lab.is_library else step if program.step else before
        if not (lab.is_library and result.verdict == SKIP):  # it need not be here
            yield Row(label if program.variant else own, name, result, size, than)
        if program.step:
            step = result.gflops
        elif not program.variant and not lab.is_library:
            speeds[lab.name] = result.gflops


def demo(described: list[Lab], settings: list[str]) -> int:
    ranks = any(lab.ranks and not lab.is_library for lab in described)
    described = [lab for lab in described if ranks or not (lab.is_library and lab.ranks)]
    total = sum(len(lab.programs) for lab in described)
    progress = ProgressBar("demo", A_ROW * total)
    done: list[Row] = []
    up, table = "", []
    progress.print(f"C = A * B, {described[0].type}, each lab verified, then timed (median)\n")
    with progress:
        for row in climb(described, settings, progress):
            done.append(row)
            progress.done(len(done) / total)
            table = ladder.table(done, has_colours(sys.stdout), unit(described[0].type))
            if is_terminal(sys.stdout):  # over the lines before, as many as it holds
                lines = table[-(os.get_terminal_size(sys.stdout.fileno()).lines - 2) :]
                progress.print(up + "\n".join(f"{line}\033[K" for line in lines))
                up = f"\033[{len(lines)}A"
    print(up + "\n".join([*table, "", *ladder.notes(done)]))
    if (TOP / "build/page.html").is_file():
        print("page: build/page.html shows every step; make page draws it anew")
    else:
        print("next: make page, which shows every step of these kernels in a browser")
    return 1 if any(row.result.verdict == FAIL for row in done) else 0


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "demo",
        words,
        "Builds, runs, verifies and times every program of the labs. It takes a minute.",
        "SIZE: 1024 or 2^10; LIMIT: seconds for one run; NO_COLOR: no colours.",
        all_variants=True,
    )
    return demo(described, settings)
