# SPDX-License-Identifier: MIT
"""Who is given a slow kernel finds the slow line by make profile alone, or by make hint: four that
are right, in tests/profile/slow. Of the workbook's own no line is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.copies import changed, workshop
from tests.stages import STAGES
from tests.support import TOP, make, needs
from workbook.core.files import temp_folder
from workbook.lab import labs
from workbook.lab.stages import LAST
from workbook.profile.advice import slow_lines
from workbook.profile.counts import Count
from workbook.profile.profile import SMALL
from workbook.profile.run_counted import Profile, profile

TOOL = {".c": "valgrind", ".cl": "clang", ".cu": "g++"}
# The lab, the slow line, and what is said of it.
SLOW = {
    "order.c": (
        "lab01_cpu_naive",
        "C[i * N + j] += A[",
        "50 % of its reads and writes miss the L1 cache, 2 for each FMA: let the innermost loop "
        "read rows, not columns (lab 02)",
    ),
    "strided.cl": (
        "lab04_ocl_naive",
        "sum += A[",
        "A: 16 sectors a request, 2 would do: dimension 0 must run along columns (coalescing, "
        "lab 04)",
    ),
    "uncoalesced.cu": (
        "lab08_cuda_naive",
        "sum += A[",
        "A: 32 sectors a request, 4 would do: x must run along columns (coalescing, lab 08)",
    ),
    "conflicts.cu": (
        "lab09_cuda_shared",
        "sum += a_tile[",
        "b_tile: 32 wavefronts a request, 1 would do: bank conflicts; pad the rows of the tile",
    ),
}


def slow(name: str) -> tuple[str, str]:
    """The text of a kernel, and the sentence with its line."""
    text = (TOP / "tests/profile/slow" / name).read_text(encoding="utf-8")
    _, code, said = SLOW[name]
    line = next(n for n, one in enumerate(text.splitlines(), 1) if code in one)
    return text, f"kernel{Path(name).suffix}:{line}: {said}"


def test_a_row_that_begins_within_a_sector_is_no_slow_line() -> None:
    """A warp stores two parts of rows, 64 bytes each: in five or six sectors where four would
    do. More than twice as many are named whatever the rows are."""
    lab = labs.describe(str(TOP / "lab07_ocl_localmem"), [])
    store = Count(51, "C", "global", True, 1, 32, 128, 128, 6, 4)
    one = Profile(lab, lab.programs[0], {"M": 64, "N": 70, "K": 64}, [store])
    assert slow_lines(one) == []
    assert slow_lines(replace(one, problem={"M": 64, "N": 72, "K": 64})) != []
    assert slow_lines(replace(one, counts=[replace(store, units=9)])) != []


@pytest.mark.parametrize("name", SLOW)
def test_make_profile_names_the_line_first(tree: Path, name: str) -> None:
    needs(TOOL[Path(name).suffix])
    text, sentence = slow(name)
    folder = workshop(tree, SLOW[name][0])
    size = SMALL["cpu" if name.endswith(".c") else "cuda"]
    with changed(next(folder.glob("kernel.c*")), text):
        ended = make(folder, "profile", "CUDA=cpu", f"SIZE={' '.join(size)}")
    assert ended.status == 0 and "its result is wrong" not in ended.out
    advice = " ".join(ended.out.rpartition("\n\n  ")[2].split())
    assert advice.startswith(sentence)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["order.c", "strided.cl", "uncoalesced.cu"])
def test_make_hint_of_a_right_kernel_names_it(clone: Path, name: str) -> None:
    needs(TOOL[Path(name).suffix])
    text, sentence = slow(name)
    folder = clone / SLOW[name][0]
    make(folder, "start", "STEP=kernel")
    (folder / f"kernel{Path(name).suffix}").write_text(text, encoding="utf-8")
    said = make(folder, "hint", "SIZE=64").out
    verdict = "correct" if name == "order.c" else "NOT YET"
    assert said.splitlines()[0] == f"{folder.name}, {verdict}. One thing is left:"
    assert "shapes are right" in said
    assert sentence in " ".join(said.split())
    assert (folder / "build/profile.json").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "stage"), STAGES)
def test_of_a_solution_no_line_is_named(tree: Path, name: str, stage: str) -> None:
    lab = labs.describe(str(workshop(tree, name)), [])
    needs(TOOL[Path(lab.programs[0].kernel).suffix])
    program = next(one for one in lab.programs if one.variant == ("" if stage == LAST else stage))
    with temp_folder("profile") as work:
        one = profile(lab, program, [], SMALL[lab.backend or "cpu"], work)
    assert one.counts or one.lines, one.failure
    assert slow_lines(one) == []
