# SPDX-License-Identifier: MIT
"""What make baseline found is in the report: a table below the ladder, and lines in the
roofline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.reports import full_report
from workbook.report.plots import draw
from workbook.report.tables import libraries
from workbook.report.tables.values import values

pytestmark = pytest.mark.report


def program(
    name: str, is_library: bool, device: str, N: int, gflops: float, share: float
) -> dict[str, Any]:
    size: dict[str, Any] = dict.fromkeys("MNK", N)
    size.update(gflops=gflops, spread=0.02, rounds=[gflops], share=share, of="clblast")
    one: dict[str, Any] = dict.fromkeys(("library", "instructions", "rounding"))
    one.update(lab=name, variant="", is_library=is_library, backend="opencl", device=device)
    return {**one, "verdict": "PASS", "reason": "", "sizes": [size]}


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path)


def compared(report: Path, device: str, *spreads: float) -> None:
    programs = [
        program("lab07_ocl_localmem", False, device, 8192, 28000, 0.875),
        program("clblast", True, device, 8192, 32000, 1.0),
    ]
    for one, spread in zip(programs, spreads):
        one["sizes"][0]["spread"] = spread
    head = {"schema": "gemm-baseline/2", "date": "2026-01-02T03:04:05Z", "type": "float"}
    record = {**head, "programs": programs}
    (report / "data/baseline.json").write_text(json.dumps(record))


def test_the_shares_are_below_the_ladder(report: Path) -> None:
    before = values(report)
    compared(report, "NVIDIA H200")
    after = values(report)
    assert [name for name in after if after[name] != before[name]] == ["ladder-opencl"]
    assert after["ladder-opencl"].startswith(before["ladder-opencl"])
    assert (
        "| lab07_ocl_localmem | 8192 | 28000 | 2 % | 87.5 % | clblast |" in after["ladder-opencl"]
    )
    assert "| *clblast* | 8192 | 32000 | 2 % | 100.0 % | clblast |" in after["ladder-opencl"]
    assert "NVIDIA H200, 2026-01-02" in after["ladder-opencl"]


@pytest.mark.parametrize(
    ("spreads", "lab", "library"),
    [
        ((0.3, 0.1), "(28000) | 30 % | -", "32000 | 10 % | 100.0 %"),
        ((0.1, 0.3), "28000 | 10 % | -", "(32000) | 30 % | -"),
    ],
)
def test_a_share_of_or_with_a_wide_spread_is_none(
    report: Path, spreads: tuple[float, float], lab: str, library: str
) -> None:
    compared(report, "NVIDIA H200", *spreads)
    table = libraries.shares(report)["opencl"]
    assert f"| lab07_ocl_localmem | 8192 | {lab} | clblast |" in table
    assert f"| *clblast* | 8192 | {library} | clblast |" in table
    draw.draw(report)
    drawn = (report / "plots/roofline-opencl.svg").read_text(encoding="utf-8")
    assert ("clblast: 32000 GFLOP/s" in drawn) == (spreads[1] < 0.2)


@pytest.mark.parametrize(("device", "there"), [("NVIDIA H200", True), ("another", False)])
def test_the_best_is_a_line_in_the_roofline_of_its_device(
    report: Path, device: str, there: bool
) -> None:
    compared(report, device)
    draw.draw(report)
    drawn = (report / "plots/roofline-opencl.svg").read_text(encoding="utf-8")
    assert ("clblast: 32000 GFLOP/s" in drawn) == there


@pytest.mark.parametrize("damage", ['{"schema": "gemm-baseline/2"}'])
def test_a_damaged_record_is_left_out(report: Path, damage: str) -> None:
    (report / "data/baseline.json").write_text(damage)
    assert libraries.shares(report) == {"cpu": "", "opencl": "", "cuda": ""}
