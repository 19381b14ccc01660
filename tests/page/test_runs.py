# SPDX-License-Identifier: MIT
"""Requests in few words are the same requests; what an array and a formula are as numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import predictions
from tests.support import TOP, needs
from workbook.lab import labs
from workbook.page.assemble import page, side
from workbook.page.changed import changed
from workbook.page.formulas import Formula, every
from workbook.page.runs import runs_of
from workbook.page.shapes import Numbers, Shape, number

# ---- runs --------------------------------------------------------------------------------------
LANES = st.dictionaries(st.integers(0, 31), st.integers(0, 40), min_size=1).map(
    lambda found: tuple(sorted(found.items()))
)
PLACES = st.tuples(*[st.integers(0, 1)] * 4)
COSTS = st.tuples(*[st.integers(1, 2)] * 3)
REQUESTS = st.lists(st.tuples(PLACES, st.integers(0, 9), LANES, COSTS))


@given(REQUESTS)
def test_runs_say_what_was_recorded(requests: list[Any]) -> None:
    patterns, runs = runs_of(requests)
    found: dict[Any, list[Any]] = {}
    for run in runs:
        for n in range(run.count):
            base = run.base + n * run.base_step
            lanes = tuple(
                (first + i, base + offset + i * stride)
                for first, count, offset, stride in patterns[run.pattern]
                for i in range(count)
            )
            order = run.order + n * run.order_step
            found.setdefault(run.place, []).append((order, lanes, run.costs))
    expected: dict[Any, list[Any]] = {}
    for place, order, lanes, costs in requests:
        expected.setdefault(place, []).append((order, lanes, costs))
    assert found == expected


def test_what_repeats_is_one_run() -> None:
    row = [
        ((0, 0, 0, 0), 2 * k, tuple((x, 16 * k + x) for x in range(32)), (4, 4, 128))
        for k in range(9)
    ]
    patterns, runs = runs_of(row)
    assert patterns == [((0, 32, 0, 1),)]
    assert [run.words() for run in runs] == [[0, 0, 0, 0, 0, 2, 0, 0, 16, 9, 4, 4, 128]]


# ---- shapes ------------------------------------------------------------------------------------
KERNEL = """#define ROW (TILE + 2 * HALO)
#if WIDE
#define HALO 8
#else
#define HALO 1
#endif
__shared__ real a[3][TILE / 2][ROW + PAD_OF_A]; // real b[1];
__shared__ real small, b[4 << 1], c[sizeof(int)];
"""


def test_arrays_have_the_sizes_of_their_declarations(tmp_path: Path) -> None:
    needs("cc")
    (tmp_path / "params.h").write_text("#define PAD_OF_A 3\n#ifndef TILE\n#define TILE 2\n#endif\n")
    found = Numbers(tmp_path, KERNEL, ["-DTILE=16"])
    assert found.shape("a") == Shape(3 * 8, 18, 21, 3)
    assert found.shape("b") == Shape(1, 8, 8)
    assert [found.shape(name) for name in ("c", "small", "none")] == [None] * 3
    assert found.of(["TILE", "ROW", "UNKNOWN"]) == [16, 18, None]


def test_only_whole_numbers_are_numbers() -> None:
    texts = ["((8) * 4) / 3", "7 % 4", "1.5", "x", "f(2)", "", "1 / 0", "__import__('os')", "-8"]
    assert [number(text) for text in texts] == [10, 3, *[None] * 7]


# ---- changed lines -----------------------------------------------------------------------------
def test_only_code_that_is_new_is_marked() -> None:
    before = ["// one", "int a;", "  int b; // why", "}"]
    after = ["// two", "int a;", "", "int  c;", "int b; // why not", "  // more", "}"]
    assert changed(before, after) == [4]
    assert changed(after, after) == []


# ---- formulas ----------------------------------------------------------------------------------
def defaults(lab: str) -> dict[str, int]:
    described = labs.describe(str(TOP / lab), [])
    tile = described.programs[0].tile or ()
    known = {name: int(value) for name, value in described.defaults if value.isdigit()}
    return known | dict(zip(("TILE_M", "TILE_N", "TILE_K"), tile))


def of_readme(formula: Formula) -> list[str]:
    text = (TOP / formula.lab / "README.md").read_text(encoding="utf-8")
    return [row[1] for _, row in predictions.rows(text) if row[0].startswith(formula.label)]


LADDER = {path.name for path in TOP.glob("lab[0-9]*")}
IN_READMES = [formula for formula in every() if formula.lab in LADDER and of_readme(formula)]


def test_each_of_the_nine_has_a_formula_of_its_readme() -> None:
    assert {formula.lab for formula in IN_READMES} == LADDER


@pytest.mark.parametrize(
    "formula", IN_READMES, ids=lambda formula: f"{formula.lab}-{formula.label}"
)
def test_a_formula_has_the_value_of_the_readme(formula: Formula) -> None:
    sizes = dict.fromkeys("MNK", 1024)
    said = predictions.formula(of_readme(formula)[0])
    # Rows of C that are no multiple of a register tile's are counted whole.
    assert formula.value(sizes | defaults(formula.lab)) == said


def test_a_formula_reads_as_it_is_written_in_a_readme() -> None:
    one = Formula("lab", "", "memory", "B load, block store", "36*M*K*ceil(N/8)", "label")
    assert one.shown == "36·M·K·⌈N/8⌉"
    taken = [one.takes(array, writes) for array in ("A", "B", "block") for writes in (False, True)]
    assert taken == [False, False, True, False, False, True]
    assert one.value({"M": 1, "K": 1, "N": 9}) == 72
    assert one.value({"M": 1, "K": 1}) is None


def test_a_pair_shows_the_kernels_that_say_the_same() -> None:
    """A variant's from its file, the lab's own as it was recorded, also where the file is gone."""
    lab = "lab07_ocl_localmem"
    own = {"lab": lab, "file": "kernel.cl", "source": ["// a student's"]}
    square = (TOP / lab / "kernel_square.cl").read_text(encoding="utf-8").splitlines()
    assert side(own, "kernel_square.cl")["source"] == square
    for file in ("kernel.cl", "kernel_nosuch.cl"):
        assert side(own, file) == {"number": "07", "file": "kernel.cl", "source": own["source"]}


# ---- one file ----------------------------------------------------------------------------------
def test_the_page_is_one_file_in_which_no_kernel_ends_an_element() -> None:
    nasty = "</script><script>alert(1)</script><!-- style -->"
    nothing = {
        **{
            "lab": "lab01_cpu_naive",
            "program": "gemm",
            "variant": "",
            "settings": [],
            "beside": None,
        },
        **{"file": "kernel.c", "source": [nasty], "changed": [], "since": None, "by": "the engine"},
        **{"skip": None, "failure": nasty, "wrong": None, "cut": None, "problem": None},
        **{"lines": [], "totals": None, "formulas": [], "accesses": None},
    }
    lab = {"lab": "lab01_cpu_naive", "number": "01", "title": nasty, "recordings": [nothing]}
    text = page([lab])
    assert "alert(1)</script>" not in text
    assert "<!-- data -->" not in text and "<!-- script -->" not in text
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 2
    assert not re.search(r"^(import|export) ", scripts[1], re.MULTILINE)
