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
from workbook.report import predict
from workbook.student.report_completion import predictions

TEMPLATE = (TOP / "report_template/report.md").read_text(encoding="utf-8")
ALL = ["WORK=2.147", "MB=12.6", "INTENSITY=171", "GFLOPS=12", "SPEEDUP=8"]


def of_lab02(clone: Path) -> dict[str, str]:
    return predictions((clone / "report/report.md").read_text(encoding="utf-8"))["02"]


def test_the_command_line_fills_the_labs_table(clone: Path) -> None:
    said = make(clone, "predict", "LAB=02", "GFLOPS=12", "MB=about 12")
    assert (said.status, said.err) == (0, "")
    assert of_lab02(clone) == {
        **{"size": "1024", "work": "", "bytes": "about 12", "intensity": ""},
        **{"gflops": "12", "speedup": ""},
    }
    assert (
        said.out.splitlines()[-1] == "next: make predict LAB=02 WORK=... INTENSITY=... SPEEDUP=..."
    )
    assert re.search(r"^lab02_avx .* 2/5$", make(clone, "progress").out, re.MULTILINE)
    text = (clone / "report/report.md").read_text(encoding="utf-8")
    changed = [line for line in text.splitlines() if line not in TEMPLATE.splitlines()]
    assert len(changed) == 3
    assert len(text.splitlines()) == len(TEMPLATE.splitlines())


def test_all_of_them_from_the_labs_folder(clone: Path) -> None:
    said = make(clone / "lab02_avx", "predict", "SIZE=512", *ALL)
    assert said.out.splitlines()[-1].startswith("kept in report/report.md; ")
    assert of_lab02(clone)["size"] == "512"
    assert "" not in of_lab02(clone).values()
    assert (
        make(clone, "progress")
        .out.splitlines()[-1]
        .endswith("make predict LAB=01, then make start LAB=01")
    )


def test_without_a_terminal_and_without_numbers_it_shows_what_is_to_be_predicted(
    clone: Path,
) -> None:
    said = make(clone, "predict", "LAB=2")
    assert said.status == 0
    assert said.out.startswith("lab02_avx, M = N = K = 1024; ")
    assert said.out.count("____") == 5
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


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["predict"], "predict: which lab? make predict LAB=01"),
        (
            ["predict", "LAB=02", "SIZE=1000"],
            "SIZE=1000: make report measures 128, 256, 512, 1024, 2048: choose",
        ),
        (["predict", "LAB=02", "GFLOPS=1|2"], "leave out | and <!--"),
        (
            ["predict", "LAB=02", "WORK=abc"],
            "'abc': there is no number in it: a prediction is one, as GFLOPS=12",
        ),
        (
            ["predict", "LAB=02", "SIZE=512", "GFLOPS=3"],
            "what you predicted of lab02_avx is for N = 1024",
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


def test_a_report_without_the_table_is_told(clone: Path) -> None:
    (clone / "report").mkdir()
    (clone / "report/report.md").write_text("# mine\n")
    said = make(clone, "predict", "LAB=02", "WORK=2")
    assert (said.status, said.err.count("has no row of predict-lab02-work")) == (2, 1)
    assert (clone / "report/report.md").read_text() == "# mine\n"


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
