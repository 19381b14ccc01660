# SPDX-License-Identifier: MIT
"""make start, next, solution and mine: each starting point builds and is honestly not done yet,
each reference passes, and nothing that a student wrote is lost."""

from __future__ import annotations

import os
import re
from errno import ENOSPC
from pathlib import Path

import pytest

from tests.copies import without
from tests.stages import FIRST_OF_BACKEND, LABS, STAGES, of_lab
from tests.support import edit, gemm, make
from workbook.student import start

LAB = "lab03_avx_block"
OWN = "// mine, all mine\n"


def kernel(lab: Path) -> Path:
    return next(lab.glob("kernel.*"))


def without_todos(file: Path) -> None:
    """As a student who deletes what is to be done in place of doing it."""
    text = re.sub(r"^//.*\n", "", file.read_text(), flags=re.MULTILINE)
    file.write_text(re.sub(r" *// TODO.*", "", text))


def verdict(lab: Path, *words: str) -> tuple[str, str]:
    """Of its kernel, as it is now, on a shape or --check."""
    built = make(lab, "gemm", "CI=true")
    assert built.status == 0, built.text
    ended, record = gemm(lab, *words)
    assert ended.status == (0 if record["verdict"] == "pass" else 1)
    return record["verdict"], record["reason"] or ""


@pytest.mark.parametrize(("lab", "stage"), STAGES)
def test_a_starting_point_is_not_done_yet_and_its_reference_passes(
    clone: Path, lab: str, stage: str
) -> None:
    folder = clone / lab
    said = make(folder, "start", f"STEP={stage}")
    assert (said.status, said.err) == (0, "")
    file = kernel(folder)
    begin = file.read_text()
    goal = (
        folder
        / "start"
        / file.name.replace("kernel", f"kernel_{stage}" if stage != "kernel" else stage)
    ).read_text()
    assert begin.startswith(goal.partition('#include "params.h"')[0])
    is_empty = lab in FIRST_OF_BACKEND
    assert (begin == goal) == is_empty
    assert ("Below is the kernel of " in begin) != is_empty

    one = ("33", "34", "35")
    says = f"{file.name}:{line_of_todo(begin)} still says TODO"
    assert verdict(folder, *one) == ("unfinished", says)
    without_todos(file)
    says = f"the code of {file.name} is that of its starting point"
    assert verdict(folder, *one) == ("unfinished", says)
    said = make(folder, "solution", "APPLY=1")
    assert said.status == 0, said.text
    assert verdict(folder, "--check") == ("pass", "")


def line_of_todo(text: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if "TODO" in line)


@pytest.mark.parametrize("lab", LABS)
def test_a_starting_point_asks_for_two_things_or_more(clone: Path, lab: str) -> None:
    for path in (clone / lab / "start").glob("kernel*"):
        assert len(re.findall(r"^// TODO: ", path.read_text(), re.MULTILINE)) >= 2
    expected = {f"kernel{'' if stage == 'kernel' else f'_{stage}'}" for stage in of_lab(lab)}
    assert {path.stem for path in (clone / lab / "start").glob("kernel*")} == expected


# ---- which lab ---------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["5", "05", "lab05", "lab05_ocl_coarsen", "lab05_ocl_coarsen/"])
def test_a_lab_by_any_of_its_names(clone: Path, name: str) -> None:
    assert make(clone, "start", f"LAB={name}").status == 0
    assert "TODO" in (clone / "lab05_ocl_coarsen/kernel.cl").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["start", "LAB=99"], "LAB=99: no such lab; there are lab01_cpu_naive"),
        (["start"], "start: which lab? make start LAB=01"),
        (
            ["start", "LAB=3", "STEP=blok"],
            "STEP=blok: lab03_avx_block has the steps regtile, block, kernel",
        ),
        (["next", "LAB=3"], "next: lab03_avx_block was not started: make start LAB=03"),
        (
            ["restore", "LAB=3"],
            "restore: there is no other kernel of yours in lab03_avx_block/mine",
        ),
    ],
)
def test_bad_input_gets_one_clear_line(clone: Path, words: list[str], says: str) -> None:
    before = (clone / LAB / "kernel.c").read_bytes()
    said = make(clone, *words)
    assert said.status == 2
    assert says in said.err
    assert len([line for line in said.err.splitlines() if not line.startswith("make")]) <= 1
    assert (clone / LAB / "kernel.c").read_bytes() == before
    assert not (clone / LAB / "mine").exists()


# ---- nothing is lost ---------------------------------------------------------------------------
def own(lab: Path) -> set[str]:
    """Every text of the student's that is still there."""
    return {path.read_text() for path in [kernel(lab), *(lab / "mine").glob("kernel.*")]}


def test_what_was_in_the_kernel_is_kept_and_comes_back(clone: Path) -> None:
    lab = clone / LAB
    reference = kernel(lab).read_text()
    kernel(lab).write_text(OWN)
    assert "kept     mine/kernel.1.c" in make(lab, "start").out
    kernel(lab).write_text(OWN * 2)
    assert "kept     mine/kernel.2.c" in make(lab, "start").out
    assert own(lab) >= {OWN, OWN * 2}
    make(lab, "solution", "APPLY=1", "STEP=kernel")
    assert kernel(lab).read_text() == reference
    for text in OWN * 2, OWN, OWN * 2:
        assert make(lab, "restore").status == 0
        assert kernel(lab).read_text() == text
    assert sorted(path.name for path in (lab / "mine").glob("kernel*")) == [
        "kernel.1.c",
        "kernel.2.c",
    ]


def test_no_copy_is_kept_of_what_is_not_the_students(clone: Path) -> None:
    lab = clone / LAB
    for words in ["start"], ["start"], ["solution", "APPLY=1"], ["start", "STEP=block"]:
        assert make(lab, *words).status == 0
    assert [path.name for path in (lab / "mine").iterdir() if path.name.startswith("kernel")] == []


def test_a_kernel_of_any_bytes(clone: Path) -> None:
    lab = clone / LAB
    kernel(lab).write_bytes(b"\xff\x00\r\n")
    assert make(lab, "start").status == 0
    assert (lab / "mine/kernel.1.c").read_bytes() == b"\xff\x00\r\n"


@pytest.mark.parametrize("stop", [OSError(ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_whenever_it_is_stopped_nothing_is_lost(
    clone: Path, monkeypatch: pytest.MonkeyPatch, moment: int, stop: BaseException
) -> None:
    """It replaces four files: the version that is kept, the starting point, the kernel, the
    state."""
    lab = clone / LAB
    kernel(lab).write_text(OWN)
    replaced = 0

    def replace(old: Path, new: Path) -> None:
        nonlocal replaced
        replaced += 1
        if replaced == moment:
            raise stop
        os.rename(old, new)

    with monkeypatch.context() as patch:
        patch.setattr("workbook.core.files.os.replace", replace)
        with pytest.raises(type(stop)):
            start.main([str(lab)])
    assert OWN in own(lab)
    begun = kernel(lab).read_text()
    assert begun == OWN or "TODO" in begun
    assert not list(lab.rglob(".new*"))
    assert start.main([str(lab)]) == 0
    assert OWN in own(lab)
    assert "TODO" in kernel(lab).read_text()


# ---- from step to step -------------------------------------------------------------------------
@pytest.mark.slow
def test_next_goes_on_where_a_step_passes_and_only_there(clone: Path) -> None:
    """However fast: test_idea.py has the rest."""
    lab = without(clone / LAB, "published", "transpose")
    make(lab, "start")
    begin = kernel(lab).read_text()
    said = make(lab, "next", "SIZE=64")
    assert said.status != 0
    assert (
        "lab03_avx_block regtile does not pass: not done yet: kernel.c:5 still says TODO"
        in " ".join(said.out.split())
    )
    assert kernel(lab).read_text() == begin

    own_step = OWN + (lab / "kernel_regtile.c").read_text()
    kernel(lab).write_text(own_step)
    said = make(lab, "next", "ANYWAY=1", "SIZE=64")
    assert said.status == 0
    assert "regtile passes: 33 of 33 shapes are right" in said.out
    assert "step 2 of 3" in said.out
    assert (lab / "mine/kernel.1.c").read_text() == own_step
    assert kernel(lab).read_text().endswith(own_step.partition('#include "params.h"\n')[2])
    assert "Below is your kernel of lab03_avx_block regtile" in kernel(lab).read_text()

    kernel(lab).write_text((lab / "kernel_block.c").read_text())
    assert "step 3 of 3" in make(lab, "next", "ANYWAY=1", "SIZE=64").out
    kernel(lab).write_text((clone / "answers" / LAB / "kernel.c").read_text())
    said = make(lab, "next", "ANYWAY=1", "SIZE=64")
    assert (said.status, said.out.splitlines()[-1]) == (
        0,
        "  next     make -C ../lab04_ocl_naive start",
    )


def test_the_speed_of_a_right_kernel_that_still_says_todo_is_shown_and_counts_nowhere(
    clone: Path,
) -> None:
    lab = clone / "lab01_cpu_naive"
    edit(kernel(lab), "            real sum = 0;", "            real sum = 0; // TODO: think")
    said = make(lab, "run", "SIZE=128")
    assert said.status != 0
    assert re.search(r"^  kernel +[0-9.]+ ms median", said.out, re.MULTILINE)
    assert said.out.endswith("\nnot done yet     right so far, but kernel.c:10 still says TODO\n")
    ended, record = gemm(lab, "128", "--csv", "times.csv")
    assert (ended.status, record["verdict"]) == (1, "unfinished")
    assert (record["repetitions"], record["gflops"]) == ([], None)
    assert (lab / "times.csv").read_text() == ""
