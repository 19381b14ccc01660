# SPDX-License-Identifier: MIT
"""make tune: the fastest setting is found and kept, what is refused is not built, what is wrong
cannot win, none is measured twice. The lab's clock is made up: tests/tuning.py."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.test_interrupt import at_work
from tests.schemas import complaints
from tests.support import edit, make, run
from tests.terminal import in_terminal
from tests.tuning import Tuned, gone, lab_to_tune, measured

# Four settings, of which WIDE=8 HIGH=2 is the fastest: 1 ms instead of 11.
FOUR = "TUNE=WIDE=4,8 HIGH=8,2"
BEST, DEFAULTS = "WIDE=8 HIGH=2", "WIDE=4 HIGH=8"
Toy = Callable[..., Tuned]


@pytest.fixture
def toy(tree: Path, tmp_path: Path) -> Iterator[Toy]:
    """toy(): a lab to tune, of which nothing is known yet."""
    folders = [tree / "tuned"]

    def made(makefile: str = "") -> Tuned:
        folders.append(lab_to_tune(tree, "toy_lab01_cpu_naive", makefile))
        return Tuned(folders[-1], tmp_path / "log")

    gone(tree / "tuned")
    yield made
    for folder in folders:
        gone(folder)


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_fastest_is_found_and_kept(toy: Toy) -> None:
    lab = toy()
    before = names(lab.lab)
    result = lab.tune(FOUR)
    assert result.status == 0
    assert result.out.startswith("toy_lab01_cpu_naive gemm, float, N=32\n  on ")
    speeds = [(times, setting) for _, times, setting in measured(result.out)]
    assert speeds == [
        ("11.00x", BEST),
        ("2.20x", "HIGH=2"),
        ("1.57x", "WIDE=8"),
        ("1.00x", "the defaults"),
    ]
    assert result.out.splitlines()[-2:] == [
        "  4 settings tried: 4 right",
        "best: make run WIDE=8 HIGH=2 SIZE=32",
    ]
    assert max(map(len, result.out.splitlines())) <= 80
    assert names(lab.lab) == before, "the lab's own folder was changed"
    assert sorted(os.listdir(lab.folder)) == ["studies.db", "toy_lab01_cpu_naive.json"]
    record = json.loads((lab.folder / "toy_lab01_cpu_naive.json").read_text())
    assert complaints(record, "gemm-tuned") == []
    assert record["winners"][0]["settings"] == BEST.split()
    assert not list((lab.lab.parent / "build").glob("tune.*"))


@pytest.mark.slow
def test_nothing_is_measured_twice(toy: Toy) -> None:
    lab = toy()
    lab.tune(FOUR, "TRIALS=2")
    assert lab.trials() == {"COMPLETE": 2}
    lab.runs()
    result = lab.tune(FOUR, "TRIALS=4")
    assert "2 settings were tried before" in result.out
    runs = lab.runs()
    assert (runs[DEFAULTS], lab.trials()) == (
        1 + 5,
        {"COMPLETE": 4},
    )  # which device? and the rounds
    again = lab.tune(FOUR)
    assert (again.status, lab.runs(), lab.studies()) == (0, {DEFAULTS: 1}, 1)
    assert measured(again.out) == measured(result.out)


def test_what_params_h_refuses_is_never_built(toy: Toy, tmp_path: Path) -> None:
    compiler, built = tmp_path / "compiler", tmp_path / "built"
    compiler.write_text(
        f'#!/bin/sh\ncase "$*" in *" -c "*) echo "$*" >>{built} ;; esac\nexec cc "$@"\n'
    )
    compiler.chmod(0o755)
    lab = toy()
    result = lab.tune("TUNE=WIDE=4,16,64 HIGH=8,2", f"CC={compiler}", "TRIALS=9")
    assert result.status == 0
    assert "3 settings tried: 3 right; 3 that params.h refuses" in result.out
    assert lab.trials() == {"COMPLETE": 3, "PRUNED": 3}
    assert "-DWIDE=64" not in built.read_text() and "-DWIDE=16 -DHIGH=8" not in built.read_text()
    assert "-DWIDE=16 -DHIGH=2" in built.read_text()


def test_what_the_device_refuses_says_why(toy: Toy) -> None:
    lab = toy()
    result = lab.tune(FOUR, REFUSED=BEST)
    assert result.status == 0
    text = " ".join(result.out.split())
    assert "3 right, 1 refused here (not supported by the device: it is too wide)" in text
    assert lab.trials() == {"COMPLETE": 3, "PRUNED": 1}
    assert result.out.splitlines()[-1] == "best: make run HIGH=2 SIZE=32"


def test_what_is_wrong_cannot_win(toy: Toy) -> None:
    lab = toy()
    for said in lab.tune(FOUR, WRONG=BEST, FASTEST=BEST), lab.tune(FOUR):  # it stays wrong
        assert said.status == 2  # make's
        assert (
            f"  {BEST}:\n    wrong at 32 x 32 x 32: every element is off by the same number"
            in said.out
        )
        assert said.out.splitlines()[-1] == "best: make run HIGH=2 SIZE=32"
    assert lab.trials() == {"COMPLETE": 3, "FAIL": 1}


def test_a_kernel_that_is_wrong_with_its_defaults_is_not_searched(toy: Toy) -> None:
    lab = toy()
    result = lab.tune(FOUR, WRONG=DEFAULTS)
    assert result.status == 2
    assert "  the defaults:\n    wrong at " in result.out
    assert result.out.splitlines()[-1] == "  no winner: the kernel is wrong"
    assert lab.trials() == {"FAIL": 1}
    assert not (lab.folder / "toy_lab01_cpu_naive.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "ends"),
    [(BEST, "best: make run HIGH=2 SIZE=32"), (DEFAULTS, "  no winner: the kernel is wrong")],
)
def test_what_is_wrong_in_the_rounds_cannot_win(toy: Toy, setting: str, ends: str) -> None:
    lab = toy()
    for said in lab.tune(FOUR, RACY=setting), lab.tune(FOUR):
        assert said.status == 2
        assert f"  {setting if setting == BEST else 'the defaults'}:\n    wrong at " in said.out
        assert said.out.splitlines()[-1] == ends
    assert lab.trials() == {"COMPLETE": 4, "FAIL": 1}


def test_what_was_fast_once_does_not_win(toy: Toy) -> None:
    result = toy().tune(FOUR, LUCKY="WIDE=4 HIGH=2")
    assert result.status == 0
    assert result.out.splitlines()[-1] == f"best: make run {BEST} SIZE=32"
    assert measured(result.out)[-1][2] == "HIGH=2"


def test_a_changed_kernel_begins_anew(toy: Toy) -> None:
    lab = toy()
    lab.tune(FOUR, "TRIALS=2")
    edit(lab.lab / "kernel.c", "return 0;\n}", "return 0; // another\n}")
    result = lab.tune(FOUR, "TRIALS=2")
    assert "before" not in result.out
    assert (lab.trials(), lab.studies()) == ({"COMPLETE": 4}, 2)


def test_an_interrupt_keeps_what_was_tried(toy: Toy, tree: Path, tmp_path: Path) -> None:
    lab = toy()
    (tree / "build").mkdir(exist_ok=True)
    before = {*os.listdir(tree / "build"), "running"}  # a lock of every program that runs
    words = [sys.executable, "-m", "workbook", "tune", str(lab.lab)]
    env = {"MAKEFLAGS": " -- SIZE=32 TUNE=WIDE=4,8\\ HIGH=8,2", "SIZE": "32", "LOG": str(lab.log)}
    result = in_terminal(
        words, tree, env=env, when=lambda text: signal.SIGINT if " 3 of 40" in text else 0
    )
    assert result.status == 130
    text = " ".join(" ".join(result.screen).split())
    assert "2 settings tried; best so far: " in text
    assert text.endswith("GFLOP/s: the next make tune goes on from there")
    assert lab.trials() == {"COMPLETE": 2}
    assert at_work(tree) == []
    assert {*os.listdir(tree / "build"), "running"} == before
    assert os.listdir(lab.folder) == ["studies.db"]
    assert "2 settings were tried before" in lab.tune(FOUR).out


def test_what_is_given_is_not_searched_nor_kept(toy: Toy) -> None:
    lab = toy("TUNED = 1")
    result = lab.tune("HIGH=4", "TUNE=WIDE=4,8")
    assert result.out.splitlines()[-2:] == [
        "best: make run WIDE=8 HIGH=4 SIZE=32",
        "  with HIGH=4 given, it is not kept as the lab's best",
    ]
    assert set(lab.runs()) == {"WIDE=4 HIGH=4", "WIDE=8 HIGH=4"}
    assert not (lab.lab / "tuned.mk").exists()
    assert os.listdir(lab.folder) == ["studies.db"]


# ---- the winner in use ------------------------------------------------------------------------
def said(lab: Path, *words: str) -> str:
    result = make(lab, "run", "SIZE=16", *words, env={"LOG": "/dev/null"})
    assert result.status == 0, result.text
    return result.out


@pytest.mark.slow
def test_a_lab_that_takes_it_is_built_with_the_winner(toy: Toy, tree: Path) -> None:
    lab = toy("TUNED = 1")
    assert "tuned" not in said(lab.lab)
    result = lab.tune(FOUR)
    assert result.out.splitlines()[-1] == "  make run does so by itself now"
    assert "\n  tuned          WIDE=8 HIGH=2\n  verified " in said(lab.lab)
    assert "\n  given          HIGH=4\n  tuned          WIDE=8\n  verified " in said(
        lab.lab, "HIGH=4"
    )
    assert "tuned" not in said(lab.lab, "TUNED=0")
    assert "tuned" not in said(lab.lab, "TYPE=int")
    described = json.loads(make(lab.lab, "describe", "HIGH=4").out)
    assert complaints(described, "gemm-lab") == []
    assert (described["tuned"], described["programs"][0]["settings"]) == (
        True,
        ["HIGH=4", "WIDE=8"],
    )
    assert "tuned.mk" in described["files"]
    make(lab.lab, "gemm", "HIGH=4")
    run(["./gemm", "16", "--json", "r.json", "--csv", "r.csv"], lab.lab, env={"LOG": "/dev/null"})
    record = json.loads((lab.lab / "r.json").read_text())
    assert record["settings"] == "HIGH=4 WIDE=8"
    assert ',"HIGH=4 WIDE=8",' in (lab.lab / "r.csv").read_text().splitlines()[1]
    (lab.lab / "tuned.mk").unlink()
    assert lab.tune(FOUR).status == 0  # from what is kept
    assert (lab.lab / "tuned.mk").exists()


def test_another_device_is_said(toy: Toy) -> None:
    lab = toy("TUNED = 1")
    lab.tune(FOUR)
    assert "tuned for" not in said(lab.lab)
    lab.runs()
    text = (lab.lab / "tuned.mk").read_text()
    (lab.lab / "tuned.mk").write_text(re.sub("tuned_for = .*", "tuned_for = NVIDIA H200", text))
    assert (
        "\n  settings       tuned for NVIDIA H200: make tune finds those for this device\n"
        in said(lab.lab)
    )
    assert lab.tune(FOUR).status == 0
    assert lab.runs() == {DEFAULTS: 1}, "what it was tuned to before is no default"
    assert (lab.lab / "tuned.mk").read_text() == text
