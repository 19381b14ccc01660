# SPDX-License-Identifier: MIT
"""A step passes with its idea: make next holds its kernel against that of the step before. The
speeds are made up here, as no test may depend on a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.copies import without
from tests.support import TOP, edit, make
from workbook.check import idea
from workbook.check.grade import Grade
from workbook.check.idea import ENOUGH, Idea, has_idea
from workbook.core.progress_bar import ProgressBar
from workbook.lab.labs import Lab, describe
from workbook.lab.program import FAIL, PASS, Result
from workbook.lab.stages import Stage, words_of
from workbook.lab.workspace import Workspace
from workbook.measure.interleave import ROUNDS
from workbook.student import hint, next

LAB = "lab03_avx_block"
AWAY = "the core was taken away: 1 ms of CPU time in 2 ms"


class Programs:
    """Those that are timed: the first of each round is so many times as fast as the other. In some
    rounds, at the beginning, the core was taken away."""

    def __init__(self, ratios: Sequence[float], disturbed: int = 0) -> None:
        self.disturbed = 2 * disturbed
        self.speeds = [10 * speed for ratio in ratios for speed in (ratio, 1)]
        self.ran: list[tuple[str, str, str]] = []

    def __call__(self, folder: Path, program: str, words: Sequence[str]) -> Result:
        self.ran.append((folder.name, program, " ".join(words)))
        away = AWAY if len(self.ran) <= self.disturbed else ""
        return Result(program, PASS, record={"gflops": self.speeds.pop(0)}, disturbed=away)


@pytest.fixture
def lab(tree: Path) -> Lab:
    return describe(str(tree / LAB), [])


def silent() -> ProgressBar:
    with ProgressBar("next", 0) as progress:
        return progress


def judged(
    monkeypatch: pytest.MonkeyPatch, lab: Lab, name: str, *ratios: float
) -> tuple[Idea, Programs]:
    programs = Programs(ratios)
    monkeypatch.setattr(idea, "time_program", programs)
    return has_idea(Stage(lab, name), silent()), programs


@pytest.mark.parametrize(
    ("ratios", "there"),
    [
        ([1.9, 2.0], True),
        ([1.0, 1.9, 1.0, 2.0], True),  # the core may be taken from it
        ([1.0, 1.02, 0.98, 1.0], False),  # one that is left would not be enough
        ([1.0, 1.02, 1.5, 1.0, 1.01], False),  # or, once, from the other
    ],
)
def test_a_step_is_held_against_the_one_before(
    monkeypatch: pytest.MonkeyPatch, lab: Lab, ratios: list[float], there: bool
) -> None:
    found, programs = judged(monkeypatch, lab, "block", *ratios)
    assert found.is_there == there
    assert programs.ran == len(ratios) * [(LAB, "gemm", "2048"), (LAB, "gemm_regtile", "2048")]
    assert f"{sorted(ratios)[len(ratios) // 2]:.2f} x as fast as regtile at 2048 (" in found.summary
    assert "1.4 x is needed" in found.summary


def test_without_the_step_before_nothing_is_known(
    monkeypatch: pytest.MonkeyPatch, lab: Lab
) -> None:
    found, _ = judged(monkeypatch, replace(lab, programs=lab.programs[:1]), "block")
    assert (found.is_there, found.is_missing) == (False, False)
    assert found.unknown.endswith(
        "lab03_avx_block regtile comes first: make start STEP=regtile LAB=03"
    )


@pytest.mark.parametrize(
    ("disturbed", "there", "ran"),
    [(2, True, 2 + ENOUGH), (ROUNDS, True, ROUNDS + ENOUGH), (99, False, 2 * ROUNDS)],
)
def test_a_round_in_which_the_core_was_taken_away_does_not_count(
    monkeypatch: pytest.MonkeyPatch, lab: Lab, disturbed: int, there: bool, ran: int
) -> None:
    programs = Programs(disturbed * [0.5] + ENOUGH * [2.0], disturbed)
    monkeypatch.setattr(idea, "time_program", programs)
    found = has_idea(Stage(lab, "block"), silent())
    assert (found.is_there, found.is_missing, len(programs.ran)) == (there, False, 2 * ran)
    assert found.unknown.startswith(f"no speed can be judged: {AWAY}") != there


def test_what_is_not_known_is_neither_passed_nor_slow(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    grade = Grade(
        lab, programs=[Result("gemm", PASS)], idea=Idea(unknown=f"no speed can be judged: {AWAY}")
    )
    said = " ".join(" ".join(next.failing(Stage(lab, "block"), grade)).split())
    assert said.startswith(
        f"{LAB} block is right; whether it is the idea is not known: no speed can be judged"
    )
    assert said.endswith("to go on all the same: make next ANYWAY=1 LAB=03")
    assert not grade.is_slow
    hint.on_mistake(Workspace(lab), [], [], grade)
    said = " ".join(capsys.readouterr().out.split())
    assert "is right; whether it is the idea is not known: make next" in said
    assert "passes" not in said


def test_emulated_it_cannot_be_judged(monkeypatch: pytest.MonkeyPatch, tree: Path) -> None:
    said = describe(str(tree / "lab09_cuda_shared"), ["CUDA=cpu"])
    said = replace(said, pays=(("no_prefetch", "2048", 1.15),))
    found, programs = judged(monkeypatch, said, "no_prefetch")
    assert (found.is_there, programs.ran) == (True, [])
    assert "emulated: whether it is faster cannot be judged here" in found.summary


@pytest.mark.parametrize(("size", "there"), [("512", True), ("2048", False)])
def test_on_a_cpu_no_ratio_decides_about_a_step_for_gpus(
    monkeypatch: pytest.MonkeyPatch, tree: Path, size: str, there: bool
) -> None:
    monkeypatch.setattr(idea, "timing_size", lambda lab: size)
    said = describe(str(tree / "lab07_ocl_localmem"), [])
    found, programs = judged(monkeypatch, said, "untransposed", *ROUNDS * [0.9])
    assert found.is_there == there
    assert len(programs.ran) == (2 if there else 2 * (ROUNDS + 1 - ENOUGH))
    assert ("on this device no speed decides" in found.summary) == there


def test_a_program_that_fails_meanwhile_has_no_ratio(
    monkeypatch: pytest.MonkeyPatch, lab: Lab
) -> None:
    monkeypatch.setattr(
        idea, "time_program", lambda *words: Result("gemm", FAIL, "no result within 3 s")
    )
    found = has_idea(Stage(lab, "block"), silent())
    assert (found.is_there, found.summary) == (True, "no ratio: no result within 3 s")


def test_each_entry_names_a_step_of_its_lab() -> None:
    described = [describe(str(path), []) for path in TOP.glob("lab[0-9]*")]
    entries = [(lab, name) for lab in described for name, _, times in lab.pays if times > 1]
    assert {lab.name for lab, _ in entries} == {LAB, "lab07_ocl_localmem"}
    assert all(name in (*lab.stages, "kernel") for lab, name in entries)


@pytest.mark.slow
def test_next_does_not_pass_the_step_before_in_other_words(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = without(clone / LAB, "published", "transpose")
    make(folder, "start", "STEP=block")
    file = folder / "kernel.c"
    file.write_text((folder / "kernel_regtile.c").read_text())
    edit(file, "{\n", "{\n    (void)BLOCK_KN;\n")
    before = file.read_text()
    monkeypatch.setattr(
        idea, "time_program", Programs((ROUNDS + 1 - ENOUGH) * [1.0] + ENOUGH * [1.5])
    )
    monkeypatch.setenv("TYPED_IN", str(folder))

    def said(status: int) -> str:
        assert next.main([str(folder)]) == status
        return " ".join(capsys.readouterr().out.split())

    out = said(1)
    assert f"{LAB} block is NOT YET: correct, but not the idea: 1.00 x as fast as regtile" in out
    assert "next: make hint" in out
    assert file.read_text() == before
    monkeypatch.setenv("ANYWAY", "1")
    assert "step 3 of 3" in said(0)  # if this device gains nothing by it
    monkeypatch.delenv("ANYWAY")
    make(folder, "start", "STEP=block")
    file.write_text((folder / "kernel_block.c").read_text() + "// mine\n")
    assert "speed 1.50 x as fast as regtile at 2048 (1.50 to 1.50, 2 times, interleaved)" in said(0)


# ---- the code of the step before ---------------------------------------------------------------
OTHER_NAMES = {"multiply_tile": "tile_of_c", "depth": "deep", "width": "wide", "overwrite": "first"}


def test_the_step_before_in_other_words_is_not_the_next_one(clone: Path) -> None:
    lab = clone / LAB
    make(lab, "start", "STEP=kernel")
    text = (lab / "kernel_block.c").read_text(encoding="utf-8")
    for old, new in OTHER_NAMES.items():
        text = text.replace(old, new)
    (lab / "kernel.c").write_text("// packed\n" + text, encoding="utf-8")
    said = make(lab, "next", "ANYWAY=1")
    assert said.status == 2
    words = " ".join(said.out.split())
    assert f"not done yet: the code of kernel.c is that of {LAB} block" in words


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("int a = 1; f(a, a); /* none */", True),
        ("int b=1;\nf(b,b); // one", True),
        ("int a = 1; f(a, g);", False),
        ("int a = 2; f(a, a);", False),
        ("int a = 1; f(a, TILE);", False),
    ],
)
def test_other_names_are_no_other_code(other: str, same: bool) -> None:
    assert (words_of("int a = 1;\n    f(a, a);") == words_of(other)) is same
