# SPDX-License-Identifier: MIT
"""The tables of "Predict first" of the nine labs: each number that a profile's record can give is
that one; and workbook/profile/reference.tsv is what is counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import predictions
from tests.stages import LABS
from tests.support import TOP, needs
from workbook.core.files import temp_folder
from workbook.lab import labs
from workbook.profile.asked import LEAST_SHAPE, WARP, of_reference, references
from workbook.profile.profile import SMALL, as_record
from workbook.profile.run_counted import Profile, profile

TOOL = {"cpu": "valgrind", "opencl": "clang", "cuda": "g++"}
Program = dict[str, Any]
Number = Callable[[Program], float]


@cache
def counted(lab: str, variant: str) -> Profile:
    settings = [variant] if "=" in variant else []
    found = next(path for folder in ("", "advanced") for path in (TOP / folder).glob(f"{lab}*"))
    described = labs.describe(str(found), settings)
    backend = described.backend or ""
    needs(TOOL[backend])
    name = "" if settings else variant
    program = next(one for one in described.programs if one.variant == name)
    with temp_folder("profile") as work:
        return profile(described, program, settings, SMALL[backend], work)


def record(lab: str, variant: str) -> Program:
    [program] = as_record(counted(lab, variant), [])["programs"]
    return dict(program)


# ---- what a record gives -----------------------------------------------------------------------
def lanes(program: Program, space: str = "global", array: str = "", writes: bool = False) -> int:
    return sum(
        line["lanes"]
        for line in program["lines"]
        if (line["space"], line["writes"]) == (space, writes) and array in ("", line["array"])
    )


def products(program: Program) -> int:
    return int(program["problem"]["M"] * program["problem"]["N"] * program["problem"]["K"])


def requested(program: Program) -> float:
    return 4 * (lanes(program) + lanes(program, array="C", writes=True))


def intensity(program: Program) -> float:
    return 2 * products(program) / (4 * lanes(program))


def intensity_of_shared(program: Program) -> float:
    return 2 * products(program) / (4 * lanes(program, "shared"))


def loads(program: Program) -> float:
    return lanes(program) / products(program)


def items(each: int) -> Number:
    """Of 1024 x 1024 elements, of which an item stores so many."""
    return lambda program: (
        lanes(program, array="C", writes=True)
        / each
        / (program["problem"]["M"] * program["problem"]["N"])
        * 1024**2
    )


def of_an_item(each: int) -> Number:
    """Bytes that it loads in one iteration over k."""
    return lambda program: 4 * lanes(program) / (products(program) / each)


def sectors(array: str) -> Number:
    def of(program: Program) -> float:
        found = [one for one in program["lines"] if (one["array"], one["writes"]) == (array, False)]
        return float(sum(one["sectors"] for one in found) / sum(one["requests"] for one in found))

    return of


# Of C, as callgrind has it.
def requested_in_c(program: Program) -> float:
    return float(4 * sum(line["reads"] + line["writes"] for line in program["lines"]))


def intensity_in_c(program: Program) -> float:
    reads = sum(int(line["reads"]) for line in program["lines"])
    return 2 * products(program) / (4 * reads)


def vectors_in_c(program: Program) -> float:
    """Loads for each FMA of eight elements, where most of the loads are: not where B is packed."""
    reads = [int(line["reads"]) for line in program["lines"]]
    return 8 * sum(one for one in reads if one * 200 > products(program)) / products(program)


# By lab, the beginning of a row: of which program, and its numbers.
GIVEN: dict[str, dict[str, tuple[str, list[Number]]]] = {
    "lab01": {
        "bytes requested by this kernel": ("", [requested_in_c]),
        "arithmetic intensity, as requested": ("", [intensity_in_c]),
    },
    "lab03": {"loads per FMA": ("", [vectors_in_c])},
    "lab04": {
        "work-items": ("", [items(1)]),
        "bytes requested by the work-items": ("", [requested]),
        "arithmetic intensity, as requested": ("", [intensity]),
        "loads per multiply-add": ("", [loads]),
        "sectors (32 bytes) for one k": ("", [sectors("A"), sectors("B")]),
    },
    "lab05": {
        "requested by one work-item": ("", [of_an_item(4)]),
        "bytes requested by the work-items": ("", [requested]),
        "arithmetic intensity, as requested": ("", [intensity]),
        "loads per multiply-add": ("", [loads]),
        "work-items": ("", [items(4)]),
    },
    "lab06": {
        "requested by one work-item": ("", [of_an_item(64)]),
        "bytes requested by the work-items": ("", [requested]),
        "arithmetic intensity, as requested": ("", [intensity]),
        "loads per multiply-add": ("", [loads]),
        "the same in `rows`": ("rows", [loads]),
        "work-items; work-groups": ("", [items(64)]),
    },
    "lab07": {
        "global memory, requested by the groups": ("", [requested]),
        "arithmetic intensity, global": ("", [intensity]),
        "arithmetic intensity, local": ("", [intensity_of_shared]),
        "`square` (16×16": ("square", [requested]),
        "`square`, arithmetic intensity": ("square", [intensity]),
    },
    "lab08": {
        "threads; blocks": ("", [items(1)]),
        "bytes requested by the threads": ("", [requested]),
        "arithmetic intensity, as requested": ("", [intensity]),
        "sectors (32 bytes) that a warp wants": ("", [sectors("A"), sectors("B")]),
    },
    "lab09": {
        "global memory, BLOCK = 32": ("", [requested]),
        "global memory, BLOCK = 16": ("BLOCK=16", [requested]),
        "arithmetic intensity, global": ("", [intensity]),
        "arithmetic intensity, shared": ("", [intensity_of_shared]),
    },
}
# What no record of these kernels has, and why.
NOT_GIVEN = {
    "compulsory traffic": "arithmetic",
    "arithmetic intensity of the compulsory traffic": "arithmetic",
    "time at": "a time",
    "your guess": "a time",
    "speed if": "a time",
    "ceiling": "a time",
    "expected": "a time",
    "the kernel over": "a time",
    "`block` over": "a time",
    "`untransposed` over": "a time",
    "lines": "a record has sectors",
    "sectors in `published`": "blanks alone; reference.tsv has them",
    "local memory of a group": "of the source",
    "shared memory of a block": "of the source",
    "registers": "of the compiler",
    "work-items of `published`": "how many items there are, no access tells",
    "the same in lab 06": "stands there",
    # nvcc keeps C in a register and only stores it; the emulation's compiler loads it, too.
    "bytes requested by `published`": "another compiler",
}
# Valgrind does not see vmaskmovps, the loads of B in lab 02; packing is a part of lab 03's reads.
OF_AVX = ("bytes requested", "loads per FMA", "arithmetic intensity", "requested in", "packing")


def rows(lab: str) -> list[list[str]]:
    [page] = TOP.glob(f"{lab}_*/README.md")
    return [row for _, row in predictions.rows(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("lab", [name[:5] for name in LABS])
def test_each_row_is_counted_or_has_a_reason(lab: str) -> None:
    given = GIVEN.get(lab, {})
    avx = OF_AVX if lab in ("lab02", "lab03") else ()
    labels = [row[0] for row in rows(lab)]
    assert labels
    for label in labels:
        assert label == "work" or label.startswith((*given, *NOT_GIVEN, *avx)), label
    for label in given:
        assert [one for one in labels if one.startswith(label)], label


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "label"), [(lab, one) for lab in GIVEN for one in GIVEN[lab]])
def test_a_number_of_a_table_is_what_is_counted(lab: str, label: str) -> None:
    variant, numbers = GIVEN[lab][label]
    program = record(lab, variant)
    row = next(row for row in rows(lab) if row[0].startswith(label))
    found = [number(program) for number in numbers]
    if numbers[0] in (requested, requested_in_c):  # which grow with the problem
        shape = {name: program["problem"][name] for name in "MNK"}
        by_formula = predictions.formula(row[1], shape)
        assert found == [pytest.approx(by_formula, rel=0.01 if lab == "lab01" else 1e-9)]
        return
    shown = re.findall(r"[\d.,]+", row[2])
    assert shown, row
    for value, text in zip(found, shown):
        plain = text.replace(",", "")
        step = 10.0 ** -len(plain.partition(".")[2])
        assert abs(value - float(plain)) <= 0.51 * step, (value, row)


# ---- workbook/profile/reference.tsv --------------------------------------------------------------
def test_the_course_and_predict_have_the_labs_that_they_need() -> None:
    assert {lab for lab, _ in references() if (lab, "") in references()} >= set(LABS[3:])
    assert {name[:5] for name in LABS[3:]} <= {Path(lab).name[:5] for lab, _ in references()}


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "variant"), references())
def test_the_reference_is_counted(lab: str, variant: str) -> None:
    one = counted(lab, variant)
    assert one.wrong == "", one.wrong
    M, N, K = LEAST_SHAPE
    assert of_reference(one.counts, M * N * K / WARP) == references()[lab, variant]
