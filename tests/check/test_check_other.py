# SPDX-License-Identifier: MIT
"""make check tries other tunables, but only those that the kernel accepts: one for vectors of four
is right as it is, and one with a number in the place of a tunable is not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.grading import Submit, book, check, kernel_alone, submit
from tests.support import TOP, edit, needs
from workbook.check.other import candidates, is_refusal, of_other, values
from workbook.check.race import race
from workbook.lab.labs import describe, every, named
from workbook.lab.program import FAIL, PASS, Result

__all__ = ["book", "kernel_alone", "submit"]  # fixtures
C, OPENCL, CUDA = "lab03_avx_block", "lab04_ocl_naive", "lab09_cuda_shared"
KERNELS = {C: "kernel.c", OPENCL: "kernel.cl", CUDA: "kernel.cu"}
FLOAT4 = (TOP / "tests/honest/padded_float4.cu").read_text()
ASSERTION = re.compile("^static_assert.*\n", re.MULTILINE)
SETTINGS = ["CUDA=cpu"]


@pytest.mark.slow
@pytest.mark.parametrize("asserts", [True, False])
def test_a_kernel_that_needs_a_multiple_of_4_has_its_points(
    book: Path, submit: Submit, kernel_alone: None, asserts: bool
) -> None:
    """As make grade gives them: tests/honest."""
    kernel = FLOAT4 if asserts else ASSERTION.sub("", FLOAT4)
    file = f"{CUDA}/kernel.cu"
    submit((TOP / file).read_text(), kernel, file, includes="")
    said = check(book, CUDA)
    said.assert_says(0, "PASS 10/10")
    advice = "say so in kernel.cu: static_assert(BLOCK % 4 == 0,"
    assert ("warning: with BLOCK=7 it fails (kernel.cu:" in said.text) is not asserts
    assert (advice in said.text) is not asserts


@pytest.mark.slow
def test_a_kernel_that_needs_more_than_the_block_of_the_tools_has_its_points(
    book: Path, submit: Submit, kernel_alone: None
) -> None:
    """16 steps at a time: with 7 and 8 it reads past its tiles, which the tools of RACE see."""
    lines = "k < BLOCK;", "k < (BLOCK + 15) / 16 * 16;"
    submit(*lines, f"{CUDA}/kernel.cu", includes="")
    said = check(book, CUDA)
    said.assert_says(0, "PASS 10/10", "warning: with BLOCK=8", "static_assert(BLOCK % 16 == 0,")
    found = race(describe(str(book / CUDA), SETTINGS), SETTINGS, lambda _: False)
    assert (found.verdict, "with BLOCK=16 it is right" in found.warning) == (PASS, True)


def tried(folder: Path) -> Result | None:
    return of_other(describe(str(folder), SETTINGS), SETTINGS)


REFUSALS = {
    "C-error": (C, "#if BLOCK_KN != 256\n#error one alone\n#endif\n"),
    "C-assert": (C, '_Static_assert(BLOCK_KN == 256, "one alone");\n'),
    "OpenCL-error": (OPENCL, "#if GROUP_X != 16\n#error one alone\n#endif\n"),
    "OpenCL-assert": (OPENCL, '_Static_assert(GROUP_X == 16, "one alone");\n'),
    "CUDA-error": (CUDA, "#if BLOCK != 32\n#error one alone\n#endif\n"),
    "CUDA-assert": (CUDA, "static_assert(BLOCK == 32);\n"),
}


@pytest.mark.parametrize("file", ["kernel", "params.h"])
@pytest.mark.parametrize("name", REFUSALS)
def test_a_value_that_the_kernel_refuses_is_none(clone: Path, name: str, file: str) -> None:
    """It is built with its default alone."""
    lab, refusal = REFUSALS[name]
    if lab == OPENCL:
        needs("clang")
    kernel = clone / lab / (KERNELS[lab] if file == "kernel" else file)
    text = kernel.read_text()
    kernel.write_text(f"{text}{refusal}")
    assert tried(clone / lab) is None


def test_after_a_refusal_the_next_value_is_tried(clone: Path) -> None:
    """OTHER's 7 is refused, and with 8 it is wrong."""
    kernel = clone / CUDA / "kernel.cu"
    edit(kernel, "BLOCK", "32")
    edit(kernel, "__global__", "static_assert(BLOCK % 4 == 0);\n__global__")
    result = tried(clone / CUDA)
    assert result is not None and result.verdict == FAIL
    assert result.reason.startswith("with BLOCK=8 it is wrong at ")


def test_a_number_in_the_place_of_a_tunable_is_none_of_its_multiples(clone: Path) -> None:
    """16, which is the default here, and would be right if it were tried."""
    edit(clone / CUDA / "params.h", "BLOCK 32", "BLOCK 16")
    edit(clone / CUDA / "kernel.cu", "BLOCK", "16")
    result = tried(clone / CUDA)
    assert result is not None and result.verdict == FAIL
    assert result.reason.startswith("with BLOCK=7 it is wrong at ")
    assert "is a number written where one of these belongs?" in result.reason


def test_a_kernel_that_does_not_build_with_some_values(clone: Path) -> None:
    """And does not say why."""
    needs("clang")
    end = "\n__constant int four[GROUP_Y % 8 == 0 ? 1 : -1] = {4};\n"
    with (clone / OPENCL / "kernel.cl").open("a") as kernel:
        kernel.write(end)
    result = tried(clone / OPENCL)
    assert result is not None and result.verdict == PASS
    assert result.reason.startswith("with GROUP_X=8 GROUP_Y=4 it fails (")
    assert result.reason.endswith(
        "; with GROUP_X=8 GROUP_Y=8 it is right, and loses no points. If GROUP_Y must be a "
        'multiple of 8, say so in kernel.cl: _Static_assert(GROUP_Y % 8 == 0, "a multiple of 8");'
    )


@pytest.mark.parametrize("lab", [path.name for path in every()])
def test_no_candidate_has_a_default(lab: str) -> None:
    here = describe(str(named(lab)), [])
    own = {**dict(here.defaults), **values(here.programs[0].settings)}
    for words in candidates(here):
        assert values(words).keys() == values(here.other).keys()
        assert not values(words).items() & own.items()


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ('does not build: kernel.c:2:2: error: #error "16"', True),
        ("does not build: kernel.c:2:2: error: no word of it", True),  # clang
        ('does not build: kernel.c:1:1: error: static assertion failed: "16"', True),
        ("kernel.c:9:1: error: static_assert failed due to requirement '7 % 4 == 0'", True),
        ('kernel.cu(3): error: static assertion failed with "16"', True),
        ("does not build: kernel.c:1:1: error: array is too large", False),
        ("does not build: kernel.c:99:1: error: array is too large", False),
        ("does not build: nowhere.h:2:1: error: array is too large", False),
    ],
)
def test_what_a_compiler_says_of_a_refusal(said: str, is_one: bool, tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text("#if BLOCK % 4\n# error 16\n#endif\n")
    assert is_refusal(said, tmp_path) is is_one


@pytest.mark.parametrize("barrier", ["complete", "overwritten"])
def test_a_race_with_the_default_block_alone(clone: Path, barrier: str) -> None:
    """With the small one of RACE, and with OTHER, there is none."""
    kernel = clone / CUDA / "kernel.cu"
    line = next(line for line in kernel.read_text().splitlines() if barrier in line)
    edit(kernel, line, f"if (BLOCK < 32) {line}")
    lab = describe(str(clone / CUDA), SETTINGS)
    lab = replace(lab, programs=lab.programs[:1])
    found = race(lab, SETTINGS, lambda _: False)
    assert (found.verdict, found.kind) == (FAIL, "race")
    assert "BLOCK=8" not in " ".join(found.found)
