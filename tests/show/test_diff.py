# SPDX-License-Identifier: MIT
"""make diff: what changed between two labs, or two kernels; and a lab's steps, one after the
other."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.copies import copy_lab
from tests.support import Result, edit, make, run
from tests.terminal import in_terminal


def files(result: Result) -> list[str]:
    """Those that are compared, as A B A B ..."""
    return re.findall(r"^(?:---|\+\+\+) (\S+)", result.out, re.MULTILINE)


def test_a_lab_is_compared_with_the_one_before(tree: Path) -> None:
    result = make(tree / "lab02_avx", "diff")
    assert result.status == 0 and "\033" not in result.text
    assert files(result)[:2] == ["lab01_cpu_naive/kernel.c", "lab02_avx/kernel.c"]
    assert "+AVX = -mavx2 -mfma" in result.out
    last = ["lab08_cuda_naive/kernel.cu", "lab09_cuda_shared/kernel_no_prefetch.cu"]
    assert files(make(tree, "diff"))[:2] == last


def test_steps_are_a_chain_from_where_the_first_begins(tree: Path) -> None:
    """What is not the kernel has grown from lab to lab all the same."""
    lab = "lab07_ocl_localmem"
    result = make(tree / lab, "diff")
    assert files(result) == [
        *("lab04_ocl_naive/kernel.cl", f"{lab}/kernel_square.cl"),
        *(f"{lab}/kernel_square.cl", f"{lab}/kernel_untransposed.cl"),
        *(f"{lab}/kernel_untransposed.cl", f"{lab}/kernel.cl"),
        *("lab06_ocl_regtile/params.h", f"{lab}/params.h"),
        *("lab06_ocl_regtile/Makefile", f"{lab}/Makefile"),
    ]
    assert re.findall("^==== (.*)$", result.out, re.MULTILINE) == [
        "step 1: square",
        "step 2: untransposed",
        f"step 3: the kernel of {lab}",
        "what is not the kernel, all steps at once",
    ]


def test_steps_need_not_be_in_the_order_of_the_alphabet(clone: Path) -> None:
    folder = clone / "lab02_avx"
    include = '#include "params.h"'
    for variant in "zebra", "aardvark", "other":
        shutil.copy(folder / "kernel.c", folder / f"kernel_{variant}.c")
        edit(folder / f"kernel_{variant}.c", include, f"{include} // {variant}")
    edit(folder / "Makefile", "include ../", "STEPS = zebra aardvark\ninclude ../")
    result = make(folder, "diff")
    chain = [Path(file).name for file in files(result)[1:5]]
    assert chain == ["kernel_zebra.c"] * 2 + ["kernel_aardvark.c"] * 2
    assert make(clone, "diff", "B=lab02_avx").out == result.out


KERNEL = "lab07_ocl_localmem/kernel_one_per_item.cl"


def test_two_that_are_named_have_no_steps(tree: Path) -> None:
    """Paths begin where make was called."""
    result = make(tree, "diff", "A=lab02_avx", "B=lab03_avx_block")
    assert files(result)[:2] == ["lab02_avx/kernel.c", "lab03_avx_block/kernel.c"]
    assert "\n==== " not in result.out and "regtile" not in "".join(files(result))
    both = make(tree, "diff", f"A={KERNEL}", "B=lab09_cuda_shared")
    assert files(both) == [KERNEL, "lab09_cuda_shared/kernel.cu"]
    for a in "kernel_one_per_item.cl", f"../{KERNEL}":
        here = make(tree / "lab07_ocl_localmem", "diff", f"A={a}")
        assert files(here) == [KERNEL, "lab07_ocl_localmem/kernel.cl"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["B=lab01_cpu_naive"], "lab01_cpu_naive is the first lab: give A="),
        (["A=lab77", "B=lab02_avx"], "no lab or file 'lab77'"),
        (["A=lab3_avx_block", "B=lab02_avx"], "the nearest is lab03_avx_block"),
        (["A=common", "B=lab02_avx"], "common"),
    ],
)
def test_what_cannot_be_compared_gets_one_line(tree: Path, words: list[str], said: str) -> None:
    result = make(tree, "diff", *words)
    assert result.status == 2 and said in result.err
    assert len([line for line in result.err.splitlines() if not line.startswith("make")]) == 1


@pytest.mark.parametrize(("no_colour", "expected"), [("", True), ("1", False)])
def test_colours_in_a_terminal(tree: Path, no_colour: str, expected: bool) -> None:
    command = ["make", "-s", "diff", "B=lab02_avx"]
    session = in_terminal(command, tree, env={"NO_COLOR": no_colour, "MAKEFLAGS": ""})
    assert session.status == 0 and "AVX = -mavx2 -mfma" in session.out
    assert ("\033[32m+AVX = -mavx2 -mfma\033[0m" in session.out) == expected


def test_who_has_read_enough_may_leave(tree: Path) -> None:
    result = run("{ sleep 1; make diff && echo fine >&2; } | true", tree)
    assert result.err == "fine\n"


def test_an_advanced_lab_names_the_one_before(tree: Path) -> None:
    folder = copy_lab(tree / "advanced/lab15_cuda_regtile", tree / "advanced/lab99_new")
    edit(folder / "Makefile", "BEFORE        = lab09_cuda_shared\n", "")
    said = make(folder, "diff")
    shutil.rmtree(folder)
    assert (said.status, "lab99_new has no BEFORE in its Makefile" in said.err) == (2, True)
