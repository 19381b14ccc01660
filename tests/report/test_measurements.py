# SPDX-License-Identifier: MIT
"""The measurements of a report: what a sound row is, which cells are whole, and how they are summed
up."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.reports import full_report
from workbook.report.data import measurements

pytestmark = pytest.mark.report

SOUND = {**dict.fromkeys(measurements.COLUMNS, ""), **dict.fromkeys("MNK", "64")}
SOUND.update(lab="lab05_ocl_coarsen", variant="published", backend="opencl", device="GPU, large")
SOUND.update(type="float", rep="1", kernel_ms="0.25", h2d_ms="0.5", d2h_ms="0.125", alloc_ms="2")
SOUND.update(build_ms="3", gflops="2.1", verified="full", context_ms="12", peak_gflops="40")
SOUND.update(peak_gbs="20", settings="BLOCK=8 TILE=4", stamp="77")
UNTIMED = {**SOUND, **dict.fromkeys(measurements.COLUMNS[8:21], "")}
UNTIMED.update(verified="skipped", why="too slow")


def write(
    path: Path, *rows: dict[str, str], columns: tuple[str, ...] = measurements.COLUMNS
) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows([[row[name] for name in columns] for row in rows])
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lab05_ocl_coarsen.csv"


def test_reads_a_sound_row_with_the_types_of_its_columns(file: Path) -> None:
    rows, wrong = measurements.read(write(file, {**SOUND, "round": "1"}))
    row = rows.iloc[0]
    assert wrong == []
    assert (row["device"], row["settings"], row["stamp"]) == ("GPU, large", "BLOCK=8 TILE=4", "77")
    assert (row["N"], row["rep"], row["round"], row["kernel_ms"]) == (64, 1, 1, 0.25)
    assert math.isnan(row["cpu_ms"])


def test_reads_a_row_that_says_why_there_is_no_time(file: Path) -> None:
    rows, wrong = measurements.read(write(file, UNTIMED))
    assert (list(rows["why"]), wrong, len(measurements.timed(rows))) == (["too slow"], [], 0)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace(b"\n", b"\r\n"), id="carriage returns"),
        pytest.param(lambda text: b"\xef\xbb\xbf" + text, id="a byte order mark"),
    ],
)
def test_reads_the_same_with(file: Path, change: Callable[[bytes], bytes]) -> None:
    before, _ = measurements.read(write(file, SOUND, UNTIMED))
    file.write_bytes(change(file.read_bytes()))
    rows, wrong = measurements.read(file)
    assert wrong == []
    pd.testing.assert_frame_equal(rows, before)


# Of a row that is otherwise sound: the column, its value, and what is said of it.
FAULTS = {
    "lab": ("lab", "lab5", 'is of no lab but "lab5"'),
    "variant": ("variant", "a b", 'is of no variant but "a b"'),
    "backend": ("backend", "emulated", 'is of no backend but "emulated"'),
    "type": ("type", "half", 'is of no type but "half"'),
    "size": ("M", "6x", 'has no size in M but "6x"'),
    "no size": ("K", "", 'has no size in K but ""'),
    "digits of others": ("M", "\N{ARABIC-INDIC DIGIT SIX}", "has no size in M"),
    "rectangle": ("N", "63", "is not of square matrices"),
    "repetition 0": ("rep", "0", 'has no number in rep but "0"'),
    "no repetition": ("rep", "", 'has no number in rep but ""'),
    "round": ("round", "one", 'has no number in round but "one"'),
    "time 0": ("kernel_ms", "0.000", 'has no time in kernel_ms but "0.000"'),
    "endless time": ("kernel_ms", "inf", 'has no time in kernel_ms but "inf"'),
    **{
        f"other time, {name}": (name, "nan", f'has no time in {name} but "nan"')
        for name in ("h2d_ms", "d2h_ms", "alloc_ms", "build_ms", "context_ms", "cpu_ms")
    },
    **{
        f"rate, {name}": (name, "fast", f'has no number in {name} but "fast"')
        for name in ("gflops", "peak_gflops", "peak_gbs")
    },
    "not verified": ("verified", "no", "has a time that was not verified"),
    "time and reason": ("why", "too slow", "has a time, and why it has none"),
    "quote": ("device", 'a "GPU"', "has a quote that does not end"),
}


@pytest.mark.parametrize("column, text, said", FAULTS.values(), ids=FAULTS)
def test_refuses_a_row_by_its_line(file: Path, column: str, text: str, said: str) -> None:
    other = {**SOUND, "variant": ""}
    rows, wrong = measurements.read(write(file, other, {**SOUND, column: text}))
    assert len(wrong) == 1 and wrong[0].startswith(f"line 3 {said}"), wrong
    assert list(rows["variant"]) == [""]  # the other cell is as it was


@pytest.mark.parametrize(
    "change, said",
    [
        pytest.param(lambda line: line + ",", "has 25 fields instead of 24", id="a field too many"),
        pytest.param(
            lambda line: line.replace('large"', "large"), "has a quote", id="a quote without end"
        ),
    ],
)
def test_refuses_a_line(file: Path, change: Callable[[str], str], said: str) -> None:
    header, line, *_ = write(file, SOUND).read_text(encoding="utf-8").split("\n")
    file.write_text(f"{header}\n{change(line)}\n", encoding="utf-8")
    rows, wrong = measurements.read(file)
    assert (len(rows), len(wrong)) == (0, 1) and wrong[0].startswith(f"line 2 {said}"), wrong


def test_refuses_a_repetition_that_is_there_twice(file: Path) -> None:
    rows, wrong = measurements.read(write(file, SOUND, SOUND))
    assert (len(rows), wrong) == (0, ["line 3 is there twice"])


def reps(*numbers: int, **more: str) -> list[dict[str, str]]:
    return [{**SOUND, "rep": str(n), **more} for n in numbers]


def test_a_cell_that_lost_a_repetition_is_left_out(file: Path) -> None:
    rows, wrong = measurements.read(write(file, *reps(1, 3), *reps(1, 2, variant="")))
    assert list(rows["variant"]) == ["", ""]
    assert wrong == ["has lost a repetition of published, float, N=64, BLOCK=8 TILE=4"]


@pytest.mark.parametrize(
    "rounds, whole",
    [("1123", True), ("111", True), ("122", True), ("113", False), ("223", False), ("121", False)],
)
def test_rounds_follow_each_other(file: Path, rounds: str, whole: bool) -> None:
    each = [{**SOUND, "rep": str(n), "round": turn} for n, turn in enumerate(rounds, 1)]
    rows, wrong = measurements.read(write(file, *each))
    assert (len(rows), len(wrong)) == ((len(rounds), 0) if whole else (0, 1))


# ---- writing


@pytest.mark.parametrize("ms", [1e-6, 0.000123, 0.1 + 0.2, 1 / 3, 123456789.125, 1.0])
def test_times_keep_all_their_digits(file: Path, ms: float) -> None:
    measurements.write(file, measurements.frame([{**SOUND, "kernel_ms": ms}]))
    rows, wrong = measurements.read(file)
    assert (wrong, list(rows["kernel_ms"])) == ([], [ms])


def test_what_a_driver_says_is_made_one_field(file: Path) -> None:
    measurements.write(file, measurements.frame([{**SOUND, "device": 'a "big"\r\n\0GPU\x1b'}]))
    rows, wrong = measurements.read(file)
    assert (wrong, list(rows["device"])) == ([], ["a 'big'   GPU "])


# ---- summing up


def cell(*times: float, **more: object) -> list[dict[str, object]]:
    return [{**SOUND, "rep": n, "kernel_ms": ms, **more} for n, ms in enumerate(times, 1)]


def test_medians_have_the_quartiles_and_the_speed() -> None:
    row = measurements.medians(measurements.frame(cell(4, 1, 3, 2))).iloc[0]
    assert (row["ms"], row["q1"], row["q3"], row["reps"]) == (2.5, 1.75, 3.25, 4)
    assert row["gflops"] == pytest.approx(2e-6 * 64**3 / 2.5)
    assert (row["h2d_ms"], row["d2h_ms"], row["alloc_ms"], row["build_ms"]) == (0.5, 0.125, 2, 3)


@pytest.mark.parametrize("column", ["backend", "lab", "variant", "type", "settings"])
def test_medians_keep_cells_apart_by(column: str) -> None:
    other = {
        "backend": "cuda",
        "lab": "lab09_cuda_shared",
        "variant": "",
        "type": "int",
        "settings": "",
    }
    cells = measurements.medians(measurements.frame(cell(1) + cell(2, **{column: other[column]})))
    assert list(cells["ms"]) == [1, 2]


def test_medians_are_of_the_device_with_most_rows() -> None:
    rows = cell(1, 1, device="few") + cell(2, 2, 2, device="many", variant="")
    cells = measurements.medians(measurements.frame(rows))
    assert list(cells["ms"]) == [2]
    assert list(cells["device"]) == ["many (most rows of 2 devices)"]


@pytest.mark.parametrize("name", ["epyc", "h200"])
def test_the_cells_that_answers_cite_are_sound(name: str, tmp_path: Path) -> None:
    report = full_report(tmp_path, name)
    assert [
        wrong for path in report.glob("data/lab*.csv") for wrong in measurements.read(path)[1]
    ] == []
    assert len(measurements.medians(measurements.load(report))) > 100
