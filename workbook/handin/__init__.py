# SPDX-License-Identifier: MIT
"""What may be handed in: docs/handing-in.md. make grade asks before it builds a worker, make check before the
deadline; the two differ in where a compiler runs, a Bench, and in nothing else."""

from __future__ import annotations

from workbook.handin.bench import Bench, Geometry
from workbook.handin.compile import check_object, check_text, compile_kernel, geometry, preprocess


def take(bench: Bench, with_object: bool = True) -> Geometry:
    """Unfit says why it is not taken. What is left on the bench: what the preprocessor makes of the kernel,
    and built/kernel.o of one that the processor runs."""
    check_text(bench)
    if bench.backend != "cuda":
        preprocess(bench, bench.source, bench.preprocessed)
    shape = geometry(bench)
    if with_object and bench.backend != "opencl":
        compile_kernel(bench)
        check_object(bench)
    return shape
