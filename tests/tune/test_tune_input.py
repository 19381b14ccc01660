# SPDX-License-Identifier: MIT
"""make tune where there is nothing to tune, or something cannot be read, written or understood: one
line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import make, run
from tests.tuning import Tuned, gone, lab_to_tune

FOUR = "TUNE=WIDE=4,8 HIGH=8,2"


@pytest.fixture
def toy(tree: Path, tmp_path: Path) -> Iterator[Tuned]:
    gone(tree / "tuned")
    lab = lab_to_tune(tree, "toy_lab01_cpu_naive")
    yield Tuned(lab, tmp_path / "log")
    gone(lab)
    gone(tree / "tuned")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["TRIALS=0"], "TRIALS=0: give how many settings are to be tried in all, as TRIALS=40"),
        (["LIMIT=soon"], "LIMIT=soon: give whole seconds"),
        (
            ["TUNE=WIDTH=4"],
            "TUNE: WIDTH=4: toy_lab01_cpu_naive has no tunable WIDTH; there are WIDE, HIGH",
        ),
        (["TUNE=WIDE"], "TUNE: WIDE: give whole numbers"),
    ],
)
def test_bad_input(toy: Tuned, words: list[str], says: str) -> None:
    result = make(toy.lab, "tune", *words)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"tune: {says}")
    assert len(result.err.splitlines()) == 2  # and make's


@pytest.mark.parametrize(
    ("lab", "words", "says"),
    [
        ("lab01_cpu_naive", [], "has no tunables"),
        ("lab09_cuda_shared", ["CUDA=cpu"], "skipped: emulated on a CPU, it has no speed"),
        (
            "lab03_avx_block",
            ["BLOCK_KN=16", "ROWS=4"],
            ": nothing to search: every tunable is given, or gemm's own",
        ),
    ],
)
def test_what_cannot_be_tuned_says_why(tree: Path, lab: str, words: list[str], says: str) -> None:
    result = make(tree / lab, "tune", *words)
    assert (result.status, result.err) == (0, "")
    assert " ".join(result.out.split()) == f"{lab}{'' if says[0] == ':' else ' '}{says}"


def test_a_kernel_that_is_not_done_yet_waits(clone: Path) -> None:
    make(clone / "lab03_avx_block", "start")
    result = make(clone / "lab03_avx_block", "tune")
    assert result.status == 0
    assert result.out.startswith("lab03_avx_block skipped: not done yet: kernel.c:")


def test_a_kernel_that_does_not_build(toy: Tuned) -> None:
    (toy.lab / "kernel.c").write_text("no such thing;\n")
    result = toy.tune(FOUR)
    assert result.status == 2
    assert result.out.startswith("toy_lab01_cpu_naive gemm: does not build: ")


def test_a_kernel_that_runs_nowhere_here(toy: Tuned) -> None:
    kernel = toy.lab / "kernel.c"
    kernel.write_text(kernel.read_text().replace('if (is("REFUSED"))', "if (1)"))
    result = toy.tune(FOUR)
    assert result.status == 2
    assert result.out.splitlines()[-1] == "  no winner: nothing runs here"
    assert toy.trials() == {"PRUNED": 4}


def test_a_database_that_is_none(toy: Tuned) -> None:
    toy.folder.mkdir()
    (toy.folder / "studies.db").write_text("nothing of the kind " * 100)
    result = toy.tune(FOUR)
    assert result.status == 2
    assert result.err.startswith(
        f"tune: {toy.folder}/studies.db cannot be used: file is not a database: "
    )
    assert len(result.err.splitlines()) == 2  # and make's


@pytest.mark.parametrize("text", ["{", '{"schema": "gemm-tuned/2"}'])
def test_winners_that_cannot_be_read_are_not_replaced(toy: Tuned, text: str) -> None:
    toy.folder.mkdir()
    winners = toy.folder / f"{toy.lab.name}.json"
    winners.write_text(text)
    result = toy.tune(FOUR)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"tune: {winners} ")
    assert winners.read_text() == text


def test_without_optuna_it_says_what_to_do(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "optuna.py").write_text("raise ModuleNotFoundError('gone', name='optuna')\n")
    command = [sys.executable, "-m", "workbook", "tune", "lab03_avx_block"]
    result = run(command, tree, env={"PYTHONPATH": str(tmp_path)})
    assert (result.status, result.out, result.err) == (
        2,
        "",
        "tune: needs optuna: run ./setup tune\n",
    )
