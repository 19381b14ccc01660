# SPDX-License-Identifier: MIT
"""The parts of a page: patterns of lanes, shapes of arrays, formulas, new lines, what a change
brings, one file of all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import predictions
from tests.golden import ANEW, golden
from tests.page.conftest import Recorded
from tests.support import TOP, needs
from workbook.lab import labs
from workbook.page.assemble import VIEW, page, shown, side
from workbook.page.changed import changed
from workbook.page.formulas import Formula, every
from workbook.page.gain import gain
from workbook.page.patterns import pattern_of
from workbook.page.shapes import Numbers, Shape, number

LADDER = sorted(path.name for path in TOP.glob("lab[0-9]*"))


@given(st.dictionaries(st.integers(0, 31), st.integers(0, 40), min_size=1))
def test_a_pattern_is_what_the_lanes_access(lanes: dict[int, int]) -> None:
    found = sorted(lanes.items())
    pattern = pattern_of(found)
    assert found == [
        (first + i, found[0][1] + offset + i * stride)
        for first, count, offset, stride in pattern
        for i in range(count)
    ]


def test_neighbours_are_one_segment() -> None:
    assert pattern_of([(lane, 7 + 2 * lane) for lane in range(32)]) == ((0, 32, 0, 2),)


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


def test_only_code_that_is_new_is_marked() -> None:
    before = ["// one", "int a;", "  int b; // why", "}"]
    after = ["// two", "int a;", "", "int  c;", "int b; // why not", "  // more", "}"]
    assert changed(before, after) == [4]
    assert changed(after, after) == []


# ---- formulas ----------------------------------------------------------------------------------
def of_readme(formula: Formula) -> list[str]:
    text = (TOP / formula.lab / "README.md").read_text(encoding="utf-8")
    return [row[1] for _, row in predictions.rows(text) if row[0].startswith(formula.label)]


IN_READMES = [formula for formula in every() if of_readme(formula)]


def test_each_of_the_nine_has_a_formula_of_its_readme() -> None:
    assert sorted({formula.lab for formula in IN_READMES}) == LADDER


@pytest.mark.parametrize("formula", IN_READMES, ids=lambda one: f"{one.lab}-{one.label}")
def test_a_formula_has_the_value_of_the_readme(formula: Formula) -> None:
    described = labs.describe(str(TOP / formula.lab), [])
    names = {name: int(value) for name, value in described.defaults if value.isdigit()}
    names |= dict(zip(("TILE_M", "TILE_N", "TILE_K"), described.programs[0].tile or ()))
    # Rows of C that are no multiple of a register tile's are counted whole.
    value = formula.value(dict.fromkeys("MNK", 1024) | names)
    assert value == predictions.formula(of_readme(formula)[0])


def test_a_formula_reads_as_it_is_written_in_a_readme() -> None:
    one = Formula("lab", "", "memory", "B load, block store", "36*M*K*ceil(N/8)", "label")
    assert one.shown == "36·M·K·⌈N/8⌉"
    taken = [one.takes(array, writes) for array in ("A", "B", "block") for writes in (False, True)]
    assert taken == [False, False, True, False, False, True]
    assert one.value({"M": 1, "K": 1, "N": 9}) == 72
    assert one.value({"M": 1, "K": 1}) is None


# ---- what a change brings ----------------------------------------------------------------------
def test_what_each_change_brings_is_said(recorded: Recorded) -> None:
    said = []
    for lab in LADDER:
        record = shown(recorded(lab))
        said += [f"{lab} {key}: {text}" for key, text in (record["gain"] or {}).items()]
    listed = "\n".join(said) + "\n"
    assert listed == golden(Path(__file__).with_name("gain.txt"), listed), ANEW


def test_speeds_of_other_sizes_are_not_compared(recorded: Recorded) -> None:
    own, other = recorded("lab04_ocl_naive")["recordings"]
    moved = [{**point, "N": 7} for point in other["measured"]]
    said = gain({**other, "measured": moved}, own)["measured"]
    assert "times as fast" not in said and "N = 7" in said and "Lab 04 published: Mea" in said


def test_a_barrier_that_separates_nothing_is_not_praised(recorded: Recorded) -> None:
    """A tile that is written and read between the same two barriers."""
    own, other = recorded("lab09_cuda_shared")["recordings"]
    requests = [[site, block, 1, *rest] for site, block, _, *rest in own["requests"]]
    assert "barrier" in gain(other, own)["reuse"]
    assert "barrier" not in gain(other, {**own, "requests": requests})["reuse"]


def test_a_pair_shows_the_kernels_that_say_the_same() -> None:
    """A variant's from its file, the lab's own as it was recorded, also where the file is gone."""
    lab = "lab07_ocl_localmem"
    own = {"lab": lab, "file": "kernel.cl", "source": ["// a student's"]}
    square = (TOP / lab / "kernel_square.cl").read_text(encoding="utf-8").splitlines()
    assert side(own, "kernel_square.cl")["source"] == square
    for file in ("kernel.cl", "kernel_nosuch.cl"):
        assert side(own, file) == {"number": "07", "file": "kernel.cl", "source": own["source"]}


# ---- one file ----------------------------------------------------------------------------------
def test_the_page_is_one_file_in_which_no_kernel_ends_an_element(recorded: Recorded) -> None:
    nasty = "</script><script>alert(1)</script><!-- style -->"
    record: dict[str, Any] = recorded("lab08_cuda_naive")
    own = {**record["recordings"][0], "source": [nasty], "failure": nasty}
    text = page([{**record, "title": nasty, "recordings": [own]}])
    assert "alert(1)</script>" not in text
    assert "<!-- data -->" not in text and "<!-- script -->" not in text
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 2
    assert not re.search(r"^(import|export) ", scripts[1], re.MULTILINE)


def test_sizes_of_memory_are_those_of_the_counters() -> None:
    text = (TOP / "engine/count/rules.h").read_text(encoding="utf-8")
    lanes = "".join(re.findall(r"#define OF_WARP (.*)", text))
    rules = text.partition("};")[0].replace("= OF_WARP", f"= {lanes}")
    counters = re.findall(r"([A-Z]+) = (\d+)", rules)
    drawing = re.findall(r"([A-Z]+) = (\d+)", (VIEW / "rules.js").read_text(encoding="utf-8"))
    assert sorted(counters) == sorted(drawing)
