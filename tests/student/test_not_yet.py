# SPDX-License-Identifier: MIT
"""A correct kernel without the idea of its lab: next, hint, progress and run repeat the check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ideas import ways
from tests.support import make, needs

LAB = "lab02_avx"
SAID = "no vector instruction, 1 multiply-add per instruction in the inner loop"


def begun(clone: Path, lab: str, number: str, step: str = "kernel") -> Path:
    [way] = [way for way in ways() if (way.lab, way.number) == (lab, number)]
    folder = clone / lab
    make(folder, "start", f"STEP={step}")
    next(folder.glob("kernel.c*")).write_text(way.text, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_all_say_the_same(clone: Path) -> None:
    needs("objdump")
    folder = begun(clone, LAB, "12")
    said = make(folder, "next")
    words = " ".join(said.text.split())
    assert said.status == 2 and f"{LAB} is NOT YET: correct, but not the idea of lab 02" in words
    assert SAID in words and "to go on all the same: make next ANYWAY=1" in words
    [found] = json.loads((folder / "build/check.json").read_text())["labs"]
    assert (found["verdict"], found["points"], found["possible"]) == ("NOT YET", 7, 10)
    hint = make(folder, "hint").out
    assert hint.splitlines()[0] == f"{LAB}, NOT YET. One thing is left:"
    assert hint.index("no vector instruction") < hint.index("stores")
    progress = make(folder, "progress").out
    assert "not yet" in progress and SAID in " ".join(progress.split())
    assert progress.splitlines()[-1].endswith("hint: it is correct, but not the idea yet")
    ran = make(folder, "run", "SIZE=64")
    assert ran.status == 0
    assert "NOT YET correct, but not the idea of lab 02: kernel.c" in " ".join(ran.out.split())
    (folder / "kernel.c").write_text((folder / "kernel.c").read_text() + "// another\n")
    assert "NOT YET" not in make(folder, "run", "SIZE=64").out


@pytest.mark.slow
def test_a_step_may_be_without_what_a_later_one_teaches(clone: Path) -> None:
    """The tile of registers; with panels that are copied for each tile it is not yet the lab."""
    needs("objdump")
    folder = begun(clone, "lab03_avx_block", "15", "regtile")
    said = make(folder, "check")
    assert said.status == 2 and "NOT YET" in said.out and "loads of B" in said.out
    assert "regtile passes" in make(folder, "next").out
    folder = begun(clone, "lab03_avx_block", "14", "regtile")
    said = make(folder, "next")
    assert said.status == 2 and "regtile is NOT YET" in said.out
    assert "0 sums in registers" in " ".join(said.out.split())
