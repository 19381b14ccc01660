# SPDX-License-Identifier: MIT
"""What ./gemm --check says of a kernel, which make check repeats, make grade says as well: right or
not right. Their shapes differ, and what a tool alone sees is no part of this."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cheating import Kernel, described, grade, kernels
from tests.support import run
from workbook.core.records import RUN, read
from workbook.lab import labs
from workbook.lab.stages import kernel_name

# Of the cheats those that harm nobody without a sandbox, and need no tool to be seen.
WRONG = (
    "after_a_while before_C beta_of_zero cached crash deep_buffer deep_recursion exit_0 "
    "far_outside far_past_C first_calls_only half_precision nan nothing "
    "odd_squares one_k_too_many only_whole_tiles past_B_alone past_C reads_before_B stale_cache "
    "stale_pointer stops_itself takes_nan_for_0 tall_buffer vector_of_1024 writes_to_A "
    "writes_to_inputs xor_with_itself zeros cuda_out_of_bounds cuda_unset_sum ocl_no_edge "
    "ocl_past_C ocl_writes_A"
).split()
OTHERS = ("trampoline",)  # the linker of the tests makes no stack that can be executed
EVERY = [
    *(
        kernel
        for kernel in kernels("honest")
        if kernel.name not in OTHERS and "threads" not in kernel.says
    ),
    *(kernel for kernel in kernels("cheats") if kernel.name in WRONG),
]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", EVERY, ids=lambda kernel: kernel.name)
def test_check_and_grade_agree(kernel: Kernel, folder: Path) -> None:
    graded, _ = grade(kernel, folder, frozenset({"tools"}))
    lab = described(kernel.lab)
    copy = labs.copy_to(lab, folder / "copy").path
    (copy / kernel_name(lab)).write_text(kernel.path.read_text())
    labs.make(copy, ["gemm", "CI="], 300)  # whatever it is warned of
    record = folder / "run.json"
    run(["./gemm", "--check", "--json", record], copy)
    said = read(record, RUN)
    assert (said["verdict"] == "pass") == (graded["verdict"] in ("PASS", "INCONCLUSIVE")), (
        said["reason"],
        said["finding"],
        graded["reason"],
    )


def test_there_are_sixty() -> None:
    assert len(EVERY) >= 60
