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

# What the lab's own params.h says, which most hand in as it is: of another one, who knows what it
# includes?
measured: dict[tuple[str, int, bytes], Geometry] = {}


def take(bench: Bench, with_object: bool = True, then: Sequence[Step] = ()) -> Geometry:
    """Unfit says why it is not taken. What is left on the bench: what the preprocessor makes of the
    kernel, built/kernel.o of one that the processor runs, and what the steps make that are to be
    taken then. There are two builds, as the text of the first is looked at before the second."""
    check_text(bench)
    params = (bench.folder / "lab/params.h").read_bytes()
    key = (bench.lab.name, bench.task.threads, params)
    steps = [] if key in measured else measuring(bench)
    if bench.backend != "cuda":
        bench.build(*preprocessing(bench, bench.source), *steps)
        files = [
            *([bench.source] if bench.backend == "cpu" else []),
            *([GEOMETRY] if steps else []),
        ]
        steps = [step for file in files for step in including(bench, file)]
    if with_object and bench.backend != "opencl":
        steps += compiling(bench)
    if steps or then:
        bench.build(*steps, *then)
    if key in measured:
        return measured[key]
    shape = geometry(bench)
    if params == (bench.lab.path / "params.h").read_bytes():
        measured[key] = shape
    return shape
