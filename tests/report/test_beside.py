# SPDX-License-Identifier: MIT
"""make report BESIDE=FOLDER: the ratios to another report, and which folders are refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.reports import full_report
from tests.support import edit, make
from workbook import UserError
from workbook.report.data import measurements
from workbook.report.document.write import write
from workbook.report.plots import draw
from workbook.report.tables.beside import NOTHING, beside, require
from workbook.report.tables.values import values

pytestmark = pytest.mark.report

CPU = "Xeon, 8 cores"
FIRST, SECOND = "lab01_cpu_naive", "lab02_avx"


def cell(report: Path, lab: str, N: int, *times: float, settings: str = "") -> None:
    """Adds it to the lab's table."""
    path = report / f"data/{lab}.csv"
    row = {"lab": lab, "backend": "cpu", "device": CPU, "type": "float", "verified": "full"}
    row.update({name: str(N) for name in "MNK"}, settings=settings)
    new = [{**row, "rep": str(n), "kernel_ms": str(ms)} for n, ms in enumerate(times, 1)]
    old = measurements.read(path)[0].to_dict("records") if path.exists() else []
    measurements.write(path, measurements.frame([*old, *new]))


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    mine, other = tmp_path / "mine", tmp_path / "eve"
    for report, faster, name in (mine, 1, "mine"), (other, 2, "hers"):
        cell(report, FIRST, 64, 10 / faster)
        cell(report, FIRST, 128, 100, 104, 96)  # 4 %
        cell(report, SECOND, 64, 3 * faster)
        cell(report, SECOND, 128, *((1, 2, 3) if faster == 1 else (2, 2, 2)))
        (report / "data/provenance.txt").write_text(f"cpu: Xeon, {name} (CPU, 8 cores)\n")
    cell(mine, FIRST, 256, 7)
    cell(other, FIRST, 512, 7)
    cell(other, "lab03_avx_block", 64, 7)
    return mine, other


@pytest.mark.parametrize(
    "row",
    [
        "| lab01_cpu_naive | 64 | 10.0 (0 %) | 5.00 (0 %) | 0.500 |",
        "| lab01_cpu_naive | 128 | 100 (4 %) | 100 (4 %) | 1.00, no claim |",
        "| lab02_avx | 64 | 3.00 (0 %) | 6.00 (0 %) | 2.00 |",
        "| lab02_avx | 128 | (2.00, 50 %) | 2.00 (0 %) | - |",
        "CPU: Xeon, mine here, Xeon, hers there",
    ],
)
def test_ratios(two: tuple[Path, Path], row: str) -> None:
    assert row in beside(*two).splitlines()


def test_cells_of_one_report_are_left_out(two: tuple[Path, Path]) -> None:
    said = beside(*two)
    assert len(re.findall(r"^\| lab", said, re.M)) == 1 + 4  # with the head
    assert "512" not in said and "lab03" not in said and "OpenCL" not in said


def test_what_was_timed_twice_is_noise(two: tuple[Path, Path]) -> None:
    for report in two:
        cell(report, SECOND, 64, 7, settings="BLOCK=8")  # 7 / 3 in mine, 7 / 6 in hers
        (report / "data/defaults.txt").write_text(f"{SECOND}: BLOCK=8\n")
    said = beside(*two).splitlines()
    assert "| lab02_avx | 64 | 3.00 (0 %) | 6.00 (0 %) | 2.00, no claim |" in said


def test_the_report_has_it_while_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw, "draw", lambda _: None)  # the plots have tests of their own
    report = full_report(tmp_path / "report")
    other = tmp_path / "eve`|<b>"  # what a folder is called is text
    shutil.copytree(report, other)
    document = report / "report.md"
    assert write(report, False, other) == 0
    assert "| lab07_ocl_localmem | 8192 | 39.0 (0 %) | 39.0 (0 %) | 1.00, no claim |" in (
        document.read_text("utf-8")
    )
    assert "<b>" not in (report / "report.html").read_text("utf-8")
    assert write(report, False) == 0
    assert NOTHING in document.read_text("utf-8")
    assert values(report)["beside"] == NOTHING
    edit(document, "<!-- fill beside -->", "")
    capsys.readouterr()
    write(report, False, other)
    assert "has no place for them: put <!-- fill beside -->" in capsys.readouterr().err


DAMAGES = {
    "header": ("lab,variant", "lab,why", "line 1 is not the header"),
    "time": (",10,", ",10x,", 'line 2 has no time in kernel_ms but "10x"'),
    "control characters": (",10,", ",1\33[31m,", 'line 2 has no time in kernel_ms but "1 [31m"'),
}


@pytest.mark.parametrize("old, new, words", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_report_is_refused(
    two: tuple[Path, Path], old: str, new: str, words: str
) -> None:
    table = two[0] / f"data/{FIRST}.csv"
    table.write_text(table.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(UserError) as refused:
        require(two[0])
    assert f"{FIRST}.csv {words}" in str(refused.value)


def test_a_folder_without_a_report_is_refused_before_anything_is_measured(tree: Path) -> None:
    said = make(tree, "report", "BESIDE=/nonexistent")
    assert said.status == 2
    assert "report: BESIDE=/nonexistent: no data/lab*.csv there: name the folder of a report" in (
        said.err
    )
    assert "building" not in said.err and not (tree / "report").exists()
