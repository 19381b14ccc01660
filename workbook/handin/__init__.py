# SPDX-License-Identifier: MIT
"""What may be handed in: docs/handing-in.md. make grade asks before it builds a worker, make check
before the deadline; the two differ in where a compiler runs, a Bench, and in nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from workbook.handin.bench import Bench, Geometry, Step
from workbook.handin.compile import (
    GEOMETRY,
    check_text,
    compiling,
    geometry,
    including,
    measuring,
    preprocessing,
)


def take(bench: Bench, with_object: bool = True, then: Sequence[Step] = ()) -> Geometry:
    """Unfit says why it is not taken. What is left on the bench: what the preprocessor makes of the
    kernel, built/kernel.o of one that the processor runs, and what the steps make that are to be
    taken then. There are two builds, as the text of the first is looked at before the second."""
    check_text(bench)
    steps = measuring(bench)
    if bench.backend != "cuda":
        bench.build(*preprocessing(bench, bench.source), *steps)
        files = [GEOMETRY] if bench.backend == "opencl" else [bench.source, GEOMETRY]
        steps = [step for file in files for step in including(bench, file)]
    if with_object and bench.backend != "opencl":
        steps += compiling(bench)
    if steps or then:
        bench.build(*steps, *then)
    return geometry(bench)
