# SPDX-License-Identifier: MIT
"""Whoever has the idea of a lab, in whatever way, keeps the limits of course.tsv, and whoever has
not misses one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.copies import changed, workshop
from tests.ideas import Way, ways
from tests.support import TOP, needs
from workbook.check.counters import ask
from workbook.lab import labs
from workbook.lab.course import read_course
from workbook.lab.program import run_program
from workbook.profile.asked import Asked, missed_by_step

WAYS = ways()
TOOL = {".c": "objdump", ".cl": "clang", ".cu": "g++"}
# A kernel from elsewhere, and whether it has the idea: the second of lab 03 stores its sums
# in a loop that is not unrolled, so that they are in memory.
OTHERS = {
    **{f"independent/lab02_avx.{n}.c": True for n in (1, 2, 3)},
    "independent/lab03_avx_block.2.c": False,
    **{f"independent/lab07_ocl_localmem.{n}.cl": True for n in (1, 2, 3)},
    "honest/padded_float4.cu": True,
    "profile/slow/conflicts.cu": False,
    "profile/slow/strided.cl": False,
    "profile/slow/uncoalesced.cu": False,
}
LAB_OF = {"strided": "lab04_ocl_naive", "uncoalesced": "lab08_cuda_naive"}
# The workbook's own variants, which are no steps.
VARIANTS = {
    ("lab03_avx_block", "published"): False,
    ("lab03_avx_block", "transpose"): False,
    ("lab04_ocl_naive", "published"): False,
    ("lab04_ocl_naive", "pieces"): True,
    ("lab05_ocl_coarsen", "published"): False,
    ("lab07_ocl_localmem", "one_per_item"): True,
    ("lab07_ocl_localmem", "padded"): True,
    ("lab07_ocl_localmem", "square"): True,
    ("lab07_ocl_localmem", "swapped"): False,
    ("lab08_cuda_naive", "published"): True,
}
# A step, and the kernel that its own begins from.
STEPS = {
    ("lab03_avx_block", "regtile"): "lab02_avx/kernel.c",
    ("lab06_ocl_regtile", "rows"): None,
    ("lab07_ocl_localmem", "square"): None,
    ("lab07_ocl_localmem", "untransposed"): None,
    ("lab09_cuda_shared", "no_prefetch"): "lab08_cuda_naive/kernel.cu",
}


def asked(tree: Path, lab: str, text: str, *settings: str) -> Asked:
    """Of a kernel in the place of the lab's."""
    folder = workshop(tree, lab)
    kernel = next(folder.glob("kernel.c*"))
    needs(TOOL[kernel.suffix])
    with changed(kernel, text):
        described = labs.describe(str(folder), [*settings])
        if kernel.suffix == ".c":
            assert labs.build(described, ["gemm"], [*settings, "CI="]) is None
            assert run_program(folder, "gemm", ["--check"]).verdict == "PASS"
        return ask(replace(described, name=lab), read_course()[lab], [*settings, "CI="])


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_way_to_write_a_lab(tree: Path, way: Way) -> None:
    found = asked(tree, way.lab, way.text, *way.settings)
    assert found.held is way.has_idea, found
    assert bool(found.said) != way.has_idea


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_a_kernel_from_elsewhere(tree: Path, name: str) -> None:
    file = TOP / "tests" / name
    stem = file.name.partition(".")[0]
    lab = stem if stem.startswith("lab") else LAB_OF.get(stem, "lab09_cuda_shared")
    assert asked(tree, lab, file.read_text(encoding="utf-8")).held is OTHERS[name]


def of_variant(tree: Path, lab: str, variant: str) -> Asked:
    described = labs.describe(str(workshop(tree, lab)), [])
    [program] = [one for one in described.programs if one.variant == variant]
    needs(TOOL[Path(program.kernel).suffix])
    if described.backend == "cpu":
        assert labs.build(described, [program.name], []) is None
    one = replace(described, name=lab, programs=(program,))
    return ask(one, read_course()[lab], [])


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "variant"), VARIANTS)
def test_a_variant(tree: Path, lab: str, variant: str) -> None:
    assert of_variant(tree, lab, variant).held is VARIANTS[lab, variant]


@pytest.mark.slow
@pytest.mark.parametrize("lab", [name for name, task in read_course().items() if task.idea])
def test_the_solution_keeps_each_limit(tree: Path, lab: str) -> None:
    [file] = (TOP / "answers" / lab).glob("kernel.*")
    found = asked(tree, lab, file.read_text(encoding="utf-8"))
    assert (found.held, found.said, found.missed) == (True, "", ())


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "step"), STEPS)
def test_a_step_keeps_its_own(tree: Path, lab: str, step: str) -> None:
    """And the kernel that it begins from does not."""
    task = read_course()[lab]
    assert not missed_by_step(task, lab, step, of_variant(tree, lab, step).missed)
    if former := STEPS[lab, step]:
        found = asked(tree, lab, (TOP / former).read_text(encoding="utf-8"))
        assert missed_by_step(task, lab, step, found.missed)


def test_there_are_enough() -> None:
    right = Counter(way.lab for way in WAYS if way.has_idea)
    wrong = Counter(way.lab for way in WAYS if not way.has_idea)
    limited = {lab for lab, task in read_course().items() if task.bounds}
    assert right.keys() == wrong.keys() == limited
    assert min(right.values()) >= 8 and min(wrong.values()) >= 3
