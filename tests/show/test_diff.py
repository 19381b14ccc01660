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
    assert result.status == 0
    assert files(result)[:2] == ["lab01_cpu_naive/kernel.c", "lab02_avx/kernel.c"]
    assert "+AVX = -mavx2 -mfma" in result.out


def test_at_the_top_it_is_the_last_lab(tree: Path) -> None:
    assert files(make(tree, "diff"))[:2] == [
        "lab08_cuda_naive/kernel.cu",
        "lab09_cuda_shared/kernel_no_prefetch.cu",
    ]


def test_steps_are_a_chain_to_the_kernel(tree: Path) -> None:
    result = make(tree / "lab03_avx_block", "diff")
    chain = [Path(file).name for file in files(result)[:6]]
    regtile, block = "kernel_regtile.c", "kernel_block.c"
    assert chain == ["kernel.c", regtile, regtile, block, block, "kernel.c"]
    headings = re.findall("^==== (.*)$", result.out, re.MULTILINE)
    assert headings == [
        "step 1: regtile",
        "step 2: block",
        "step 3: the kernel of lab03_avx_block",
        "what is not the kernel, all steps at once",
    ]


def test_a_first_step_begins_where_its_lab_says(tree: Path) -> None:
    """What is not the kernel has grown from lab to lab all the same."""
    lab = "lab07_ocl_localmem"
    assert files(make(tree / lab, "diff")) == [
        *("lab04_ocl_naive/kernel.cl", f"{lab}/kernel_square.cl"),
        *(f"{lab}/kernel_square.cl", f"{lab}/kernel_untransposed.cl"),
        *(f"{lab}/kernel_untransposed.cl", f"{lab}/kernel.cl"),
        *("lab06_ocl_regtile/params.h", f"{lab}/params.h"),
        *("lab06_ocl_regtile/Makefile", f"{lab}/Makefile"),
    ]


def test_steps_need_not_be_in_the_order_of_the_alphabet(clone: Path) -> None:
    folder = clone / "lab02_avx"
    for variant in "zebra", "aardvark", "other":
        shutil.copy(folder / "kernel.c", folder / f"kernel_{variant}.c")
        edit(
            folder / f"kernel_{variant}.c",
            '#include "params.h"',
            f'#include "params.h" // {variant}',
        )
    edit(folder / "Makefile", "include ../", "STEPS = zebra aardvark\ninclude ../")

    result = make(folder, "diff")

    assert [Path(file).name for file in files(result)[1:5]] == [
        "kernel_zebra.c",
        "kernel_zebra.c",
        "kernel_aardvark.c",
        "kernel_aardvark.c",
    ]
    assert [file for file in files(result) if file.endswith("Makefile")] == [
        "lab01_cpu_naive/Makefile",
        "lab02_avx/Makefile",
    ]
    assert make(clone, "diff", "B=lab02_avx").out == result.out


def test_two_labs_that_are_named_have_no_steps(tree: Path) -> None:
    result = make(tree, "diff", "A=lab02_avx", "B=lab03_avx_block")
    assert files(result)[:2] == ["lab02_avx/kernel.c", "lab03_avx_block/kernel.c"]
    assert "\n==== " not in result.out
    assert "regtile" not in "".join(files(result))


def test_two_kernels(tree: Path) -> None:
    result = make(
        tree, "diff", "A=lab07_ocl_localmem/kernel_one_per_item.cl", "B=lab09_cuda_shared"
    )
    assert files(result) == [
        "lab07_ocl_localmem/kernel_one_per_item.cl",
        "lab09_cuda_shared/kernel.cu",
    ]


@pytest.mark.parametrize(
    "a", ["kernel_one_per_item.cl", "../lab07_ocl_localmem/kernel_one_per_item.cl"]
)
def test_paths_begin_where_make_was_called(tree: Path, a: str) -> None:
    result = make(tree / "lab07_ocl_localmem", "diff", f"A={a}")
    assert files(result) == [
        "lab07_ocl_localmem/kernel_one_per_item.cl",
        "lab07_ocl_localmem/kernel.cl",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["B=lab01_cpu_naive"], "lab01_cpu_naive is the first lab: give A="),
        (["A=lab77", "B=lab02_avx"], "no lab or file 'lab77'"),
        (["A=lab03", "B=lab02_avx"], "the nearest is lab03_avx_block"),
        (["A=lab3_avx_block", "B=lab02_avx"], "the nearest is lab03_avx_block"),
        (["A=common", "B=lab02_avx"], "common"),
    ],
)
def test_what_cannot_be_compared_gets_one_line(tree: Path, words: list[str], said: str) -> None:
    result = make(tree, "diff", *words)
    assert result.status != 0
    assert said in result.err
    assert len([line for line in result.err.splitlines() if not line.startswith("make")]) == 1


def test_no_colours_where_there_is_no_terminal(tree: Path) -> None:
    assert "\033" not in make(tree, "diff", "B=lab02_avx").text


@pytest.mark.parametrize(("no_colour", "expected"), [("", True), ("1", False)])
def test_colours_in_a_terminal(tree: Path, no_colour: str, expected: bool) -> None:
    command = ["make", "-s", "diff", "B=lab02_avx"]
    session = in_terminal(command, tree, env={"NO_COLOR": no_colour, "MAKEFLAGS": ""})
    assert session.status == 0
    assert ("\033[32m+AVX = -mavx2 -mfma\033[0m" in session.out) == expected
    assert "AVX = -mavx2 -mfma" in session.out


def test_who_has_read_enough_may_leave(tree: Path) -> None:
    result = run("{ sleep 1; make diff && echo fine >&2; } | true", tree)
    assert result.err == "fine\n"


def test_an_advanced_lab_names_the_one_before(tree: Path) -> None:
    folder = copy_lab(tree / "advanced/lab15_cuda_regtile", tree / "advanced/lab99_new")
    edit(folder / "Makefile", "BEFORE        = lab09_cuda_shared\n", "")
    said = make(folder, "diff")
    shutil.rmtree(folder)
    assert (said.status, "lab99_new has no BEFORE in its Makefile" in said.err) == (2, True)
