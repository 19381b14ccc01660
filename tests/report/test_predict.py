# SPDX-License-Identifier: MIT
"""make predict: what a student expects of a lab goes into report/report.md, before anything is
measured, and nothing that stood there is lost."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from errno import ENOSPC
from pathlib import Path

import pytest

from tests.support import TOP, environment, make
from workbook.report import judged, predict
from workbook.student.report_completion import predictions

TEMPLATE = (TOP / "report_template/report.md").read_text(encoding="utf-8")


def of_lab02(clone: Path) -> dict[str, str]:
    return predictions((clone / "report/report.md").read_text(encoding="utf-8"))["02"]


def test_the_command_line_fills_the_labs_table(clone: Path) -> None:
    said = make(clone, "predict", "LAB=02", "GFLOPS=12", "MB=about 12")
    assert (said.status, said.err) == (0, "")
    assert of_lab02(clone) == {
        **{"size": "1024", "work": "", "bytes": "about 12", "intensity": ""},
        **{"gflops": "12", "speedup": ""},
    }
    assert said.out.splitlines()[-1] == (
        "next: make predict LAB=02 WORK=... INTENSITY=... SPEEDUP=... REQUESTED=..."
    )
    assert re.search(r"^lab02_avx .* 2/5$", make(clone, "progress").out, re.MULTILINE)
    text = (clone / "report/report.md").read_text(encoding="utf-8")
    changed = [line for line in text.splitlines() if line not in TEMPLATE.splitlines()]
    assert len(changed) == 3
    assert len(text.splitlines()) == len(TEMPLATE.splitlines())


def test_without_a_terminal_and_without_numbers_it_shows_what_is_to_be_predicted(
    clone: Path,
) -> None:
    said = make(clone, "predict", "LAB=2")
    assert said.status == 0
    assert said.out.startswith("lab02_avx, M = N = K = 1024; ")
    assert said.out.count("____") == 6
    assert not (clone / "report").exists()


def test_another_prediction_stands_before_the_first(clone: Path) -> None:
    for value in "2.1", "12", "12", "80":
        make(clone, "predict", "LAB=02", f"GFLOPS={value}")
    assert of_lab02(clone)["gflops"] == "80 (before: 12 (before: 2.1))"


def test_every_other_byte_of_a_report_stays(clone: Path) -> None:
    report = clone / "report/report.md"
    report.parent.mkdir()
    old = TEMPLATE.replace("(your answer)", "m\u00ednes \udcff", 1).replace("\n", "\r\n")
    report.write_bytes(old.encode("utf-8", "surrogateescape"))
    report.chmod(0o640)
    assert make(clone, "predict", "LAB=02", "WORK=2").status == 0
    new = report.read_bytes().decode("utf-8", "surrogateescape")
    for row in "N", "work in GFLOP":
        value = "1024" if row == "N" else "2"
        new = new.replace(
            f"| {row} | {value} | <!-- fill predict-lab02",
            f"| {row} | ____ | <!-- fill predict-lab02",
        )
    assert new == old
    assert report.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["predict", "LAB=02", "SIZE=1000"],
            "SIZE=1000: make report measures 128, 256, 512, 1024, 2048: choose",
        ),
        (["predict", "LAB=02", "GFLOPS=1|2"], "leave out | and <!--"),
        (
            ["predict", "LAB=02", "WORK=abc"],
            "'abc': there is no number in it: a prediction is one, as GFLOPS=12",
        ),
        (["predict", "LAB=02", "GFLOP=3"], "the nearest is GFLOPS"),
    ],
)
def test_bad_input_is_one_line_and_changes_nothing(
    clone: Path, words: list[str], says: str
) -> None:
    make(clone, "predict", "LAB=02", "WORK=2")
    before = (clone / "report/report.md").read_bytes()
    said = make(clone, *words)
    assert said.status == 2
    assert says in said.err
    assert len([line for line in said.err.splitlines() if not line.startswith("make: ***")]) <= 1
    assert (clone / "report/report.md").read_bytes() == before


@pytest.mark.parametrize("stop", [OSError(ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("begun", [False, True])
def test_whenever_it_is_stopped_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bool, stop: BaseException
) -> None:
    report = tmp_path / "report/report.md"
    monkeypatch.setattr(predict, "REPORT", report)
    if begun:
        predict.keep("02", "1024", "work", "7")
    before = report.read_bytes() if begun else b""

    def replace(old: str, new: str) -> None:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(BaseException):  # noqa: B017
            predict.keep("02", "1024", "gflops", "12")
    assert (report.read_bytes() if report.exists() else b"") == before
    assert [path.name for path in report.parent.iterdir()] == (["report.md"] if begun else [])


# ---- what it is off by -------------------------------------------------------------------------
CUDA, AVX = "lab08_cuda_naive", "lab02_avx"


@pytest.mark.parametrize(
    ("quantity", "guess", "says"),
    [
        ("sectors_b", "32", "off by 8: you counted lanes, not sectors; it is 4"),
        ("sectors_b", "128", "off by 32: you counted bytes: a sector has 32; it is 4"),
        ("loads", "about 0,5", "off by 4: that is FMAs for each load; it is 2"),
        ("loads", "0", "not right; it is 2"),
        ("work", "2.1", "right: it is 2.147"),
        ("work", "1.07", "off by 2.01: a multiply-add is two operations; it is 2.147"),
        ("bytes", "8.4", "off by 1.5: C moves, too; it is 12.58"),
        ("bytes", "12,582,912", "off by 1e+06: that is in bytes; it is 12.58"),
        ("intensity", ".25", "off by 683: that is of what the kernel requests; it is 170.7"),
        ("gflops", "12", ""),
        ("work", "no idea", ""),
    ],
)
def test_a_guess_is_judged_by_what_can_be_known(quantity: str, guess: str, says: str) -> None:
    said = judged.judged(CUDA, quantity, 1024, guess, "")
    assert said == says or (quantity == "requested" and said.endswith(says)), said


@pytest.mark.parametrize(
    ("measured", "says"),
    [
        (" 16.0 at 1024 ", "0.75 times what was measured, which is 16"),
        (" 12.5 ", "near what was measured, which is 12.5"),
        (" (12.5, 40 %) ", ""),
        (" ____ ", ""),
    ],
)
def test_a_speed_is_judged_by_what_was_measured(clone: Path, measured: str, says: str) -> None:
    assert judged.judged(AVX, "gflops", 1024, "12", measured) == says
    make(clone, "predict", "LAB=02", "GFLOPS=1")
    report = clone / "report/report.md"
    text = report.read_text(encoding="utf-8")
    cell = "<!-- fill predict-lab02-gflops -->"
    report.write_text(text.replace(f"{cell} ____ ", f"{cell}{measured}"), encoding="utf-8")
    said = make(clone, "predict", "LAB=02", "GFLOPS=12").out
    assert (f"speed in GFLOP/s: 12 is {says}" in said) == bool(says), said


def of_table(clone: Path, lab: str) -> list[str]:
    text = (clone / "report/report.md").read_text(encoding="utf-8")
    rows = text[text.index(f"predict-{lab}-speedup") :].split("\n\n")[0]
    return rows.splitlines()[1:]


def test_what_was_counted_comes_into_the_report_with_the_guess_and_not_before(clone: Path) -> None:
    first = make(clone, "predict", "LAB=08", "LOADS=1")
    assert "it is 4" not in first.out and of_table(clone, "lab08") == [
        "| loads from global memory for each FMA | 1 | 2, counted |   |"
    ]
    said = make(clone, "predict", "LAB=08", "SECTORS_B=32")
    assert (
        "sectors of a warp's load of B: 32 is off by 8: you counted lanes, not sectors; it is 4"
        in " ".join(said.out.split())
    )
    make(clone, "predict", "LAB=08", "SECTORS_B=4")
    make(clone, "predict", "LAB=08", "SECTORS_B=4")
    assert of_table(clone, "lab08") == [
        "| loads from global memory for each FMA | 1 | 2, counted |   |",
        "| sectors of a warp's load of B | 4 (before: 32) | 4, counted |   |",
    ]
    assert of_table(clone, "lab09") == []
    # What a report has more is no other report: the rest of it, and what make report fills, stays.
    text = (clone / "report/report.md").read_text(encoding="utf-8")
    more = [line for line in text.splitlines() if line not in TEMPLATE.splitlines()]
    assert len(more) == 3 and predictions(text)["08"]["size"] == "1024"
    assert predictions(text)["08"]["gflops"] == ""


def test_nobody_is_told_what_is_right_before_a_guess(clone: Path) -> None:
    numbers = [f"{value:.4g}" for value in (171, 12.58, 2.147, 8594)]
    said = make(clone, "predict", "LAB=08").out
    assert "SECTORS_A=... SECTORS_B=..." in said
    assert [one for one in numbers if one in said] == []
    assert said.count("____") == 9


def test_in_a_terminal_it_asks(clone: Path) -> None:
    """Enter leaves a line as it is, Ctrl-D ends."""
    ours, theirs = pty.openpty()
    command = ["make", "-s", "predict", "LAB=02"]
    with subprocess.Popen(
        command,
        cwd=clone,
        env=environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        os.write(ours, b"2.147\n\nroughly 171\n\x04")
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # the terminal is closed
            pass
    os.close(ours)
    assert process.returncode == 0, said
    assert {quantity: value for quantity, value in of_lab02(clone).items() if value} == {
        **{"size": "1024", "work": "2.147"},
        "intensity": "roughly 171",
    }
