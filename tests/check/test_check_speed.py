# SPDX-License-Identifier: MIT
"""The speed-up that make check finds, with labs whose programs only say how fast they are."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.grading import book, check, recorded
from tests.support import edit, run

__all__ = ["book"]  # a fixture
SHAPE = {"M": 1, "N": 1, "K": 1, "class": "squares", "verdict": "pass", "method": "every element"}
Fake = Callable[..., Path]

# Of each run the next of the numbers, and then the last.
PROGRAM = """#!/bin/sh
mode=time
[ "$3" != --check ] || mode=check
file=$2
sed "s/MODE/$mode/; s/GFLOPS/$(head -n 1 speeds)/" record >"$file"
[ $mode$# != time3 ] || [ $(grep -c '' speeds) = 1 ] || sed -i 1d speeds
"""


SILENT = """before base emulated skip race page beside other pays stages experiments steps
unfinished tunables basics headers sources config emulation makefiles files
program skip settings sweep tune"""


def lab(name: str) -> str:
    """What make says of it."""
    said = ["suffix c", "backend cpu", "type float", "types float", "size 512", "compiler cc"]
    return "\n".join([f"lab {name}", *said, "flags", *SILENT.split(), ""])


def run_record(name: str, spread: float, cpu_ms: float) -> dict[str, object]:
    return {
        "schema": "gemm-run/1", "lab": name, "variant": "", "backend": "cpu", "device": "none",
        "type": "float", "mode": "MODE", "verdict": "pass", "reason": None, "at": None,
        "shapes": [SHAPE],
        "finding": None, "settings": "", "seed": 1, "battery": 1,
        "grown": 0, "outside": None, "trapped": False, "ended": None,
        "instructions": None,
        "rounding": None, "library": None, "error": {"elements": 1, "mean": 0, "largest": 0},
        "repetitions": [{"kernel_ms": 1, "h2d_ms": None, "d2h_ms": None, "cpu_ms": cpu_ms}],
        "alloc_ms": None, "context_ms": None, "build_ms": None, "ceilings": None,
        "clock": None, "steady": None, "spread": spread, "gflops": "GFLOPS",
    }  # fmt: skip


@pytest.fixture
def fake(book: Path) -> Iterator[Fake]:
    """fake(NAME, SPREAD, GFLOPS, ..., cpu_ms=OF A MILLISECOND): a lab that says so."""
    made = []

    def lab_of(name: str, spread: float, *speeds: float, cpu_ms: float = 1) -> Path:
        folder = book / name
        folder.mkdir()
        made.append(folder)
        (folder / "Makefile").write_text("all:\ngemm:\nsaid_by_make:\n\t@cat said\n")
        (folder / "said").write_text(lab(name))
        (folder / "record").write_text(
            json.dumps(run_record(name, spread, cpu_ms)).replace('"GFLOPS"', "GFLOPS")
        )
        (folder / "speeds").write_text("".join(f"{speed}\n" for speed in speeds))
        (folder / "gemm").write_text(PROGRAM)
        (folder / "gemm").chmod(0o755)
        return folder

    points = (book / "course.tsv").read_text()
    (book / "course.tsv").write_text(points + "lab99_fake\t5\t2\t2\t3\t1\n")
    yield lab_of
    (book / "course.tsv").write_text(points)
    for folder in made:
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("spread", "speeds", "says"),
    [
        (
            0.01,
            [19, 22, 23, 21, 22],
            ["PASS 10/10 19 2.20 x 2 x", "measured 5 times, interleaved, 1.90 to 2.30 x"],
        ),
        (0.01, [21, 18, 19, 17, 18], ["PASS 7/10 21 1.80 x 2 x"]),
        (0.01, [30, 10], ["PASS 10/10 30 3.00 x 2 x"]),
        (0.8, [30, 10], ["PASS 7/10 30 1.00 x 2 x"]),
    ],
    ids=[
        "unlucky-near-what-is-needed",
        "lucky-near-what-is-needed",
        "far-from-it",
        "far-but-noisy",
    ],
)
def test_speed_up(
    book: Path, fake: Fake, spread: float, speeds: list[float], says: list[str]
) -> None:
    fake("lab98_fake", 0.01, 10)
    fake("lab99_fake", spread, *speeds)
    check(book, "lab98_fake", "lab99_fake").assert_says(0, *says)
    entry = recorded(book)["labs"][1]
    assert (entry["before"], entry["needed"]) == ("lab98_fake", 2)
    assert entry["speedup"] == sorted(entry["rounds"])[len(entry["rounds"]) // 2]


@pytest.mark.parametrize(
    "given", [["lab97_fake", "lab99_fake"], ["lab99_fake"], ["lab99_fake", "lab98_fake"]]
)
def test_the_lab_before_is_the_rung_below_whatever_was_given(
    book: Path, fake: Fake, given: list[str]
) -> None:
    for name, speed in ("lab97_fake", 1), ("lab98_fake", 10), ("lab99_fake", 40):
        fake(name, 0.01, speed)
    assert check(book, *given).status == 0
    (entry,) = [entry for entry in recorded(book)["labs"] if entry["lab"] == "lab99_fake"]
    assert (entry["before"], entry["speedup"]) == ("lab98_fake", 4)


@pytest.mark.parametrize("slow", ["lab98_fake", "lab99_fake"])
def test_a_core_that_was_taken_away_is_told_beside_the_speed(
    book: Path, fake: Fake, slow: str
) -> None:
    for name, speed in ("lab98_fake", 10), ("lab99_fake", 30):
        fake(name, 0.01, speed, cpu_ms=0.56 if name == slow else 1)
    said = "the core was taken away: 0.56 ms of CPU time in 1 ms"
    check(book, "lab98_fake", "lab99_fake").assert_says(0, f"when it was timed, {said}", "3.00 x")
    bench = run([sys.executable, "-m", "workbook", "bench", slow], book, env={"SIZES": "64"})
    assert f"64: {said}" in " ".join(bench.out.split())


def test_a_program_without_a_record(book: Path, fake: Fake) -> None:
    edit(fake("lab99_fake", 0.01, 30) / "gemm", "mode=time\n", "exit 3\n")
    check(book, "lab99_fake").assert_says(1, "ended with status 3")


def test_a_program_that_says_pass_and_fails(book: Path, fake: Fake) -> None:
    folder = fake("lab99_fake", 0.01, 30)
    (folder / "gemm").write_text(PROGRAM + "exit 1\n")
    check(book, "lab99_fake").assert_says(1, "ended with status 1")


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", "null", '{"schema": "gemm-run/1"}', '{"schema": "gemm-run/9"}']
)
def test_a_damaged_record(book: Path, fake: Fake, damage: str) -> None:
    folder = fake("lab99_fake", 0.01, 30)
    (folder / "record").write_text(damage)
    check(book, "lab99_fake").assert_says(1, "ended without verifying anything")


@pytest.mark.parametrize("damage", ["", "[]", "lab lab99_fake\nsuffix c\n"])
def test_a_lab_that_does_not_say_what_it_is(book: Path, fake: Fake, damage: str) -> None:
    folder = fake("lab99_fake", 0.01, 30)
    (folder / "said").write_text(damage)
    check(book, "lab99_fake").assert_says(2, "lab99_fake: its Makefile, and make/lab.mk, say no")
