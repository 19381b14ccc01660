# SPDX-License-Identifier: MIT
"""What make run says below a program: the bytes that its kernel asks for in a second beside the
bandwidth, and how long its user waits."""

from __future__ import annotations

from typing import Any

import pytest

from workbook.lab.program import PASS, Result
from workbook.measure.requested import requested
from workbook.show.run import below, total

REPETITION = {"kernel_ms": 8.0, "h2d_ms": 3.0, "d2h_ms": 1.0, "cpu_ms": None}


def result(**more: Any) -> Result:
    record = {
        "lab": "lab04_ocl_naive",
        "variant": "",
        "backend": "opencl",
        "type": "float",
        "settings": "",
        "gflops": 100.0,
        "spread": 0.01,
        "alloc_ms": 0.5,
        "context_ms": 10.0,
        "build_ms": 5.5,
        "ceilings": {"gflops": 1000.0, "gbs": 50.0},
        "repetitions": [REPETITION],
        **more,
    }
    return Result("gemm", PASS, record=record)


ASKS = "bytes for each multiply-add"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, f"400 GB/s, 8 {ASKS}: 8.0 times the 50 of memory"),
        ({"type": "double"}, f"800 GB/s, 16 {ASKS}: 16.0 times the 50 of memory"),
        ({"gflops": 2.5}, f"10 GB/s, 8 {ASKS}: 20 % of the 50 of memory"),
        ({"ceilings": None}, f"400 GB/s, 8 {ASKS}"),
        ({"lab": "lab07_ocl_localmem"}, f"3.125 GB/s, 0.0625 {ASKS}: 6 % of the 50 of memory"),
        (
            {"lab": "lab08_cuda_naive", "variant": "published"},
            f"600 GB/s, 12 {ASKS}: 12.0 times the 50 of memory",
        ),
        ({"settings": "GROUP_X=8"}, ""),  # it was counted for the defaults
        ({"lab": "openblas"}, ""),
    ],
)
def test_what_is_requested_in_a_second(more: dict[str, Any], says: str) -> None:
    assert requested(result(**more)) == says


def test_how_long_its_user_waits() -> None:
    said = total(result())
    assert said == "28 ms for one product, set-up and copies included; 80.02 s for 10,000"
    assert total(result(build_ms=None)).startswith("22.5 ms")
    assert total(result(alloc_ms=None)) == ""  # on the CPU there are no copies


def test_no_figure_is_made_of_what_is_too_noisy_or_emulated() -> None:
    names = [name for name, words in below(result()).items() if words]
    assert names == ["requested", "total"]
    assert not any(below(result(spread=0.3)).values())
    assert not any(below(result(gflops=None, spread=None)).values())
