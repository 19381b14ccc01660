# SPDX-License-Identifier: MIT
"""make bench: every program of a lab at several sizes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.support import Result, edit, make, run


def bench(tree: Path, *folders: Path, **settings: str) -> Result:
    return run(
        [sys.executable, "-m", "workbook", "bench", *folders],
        tree,
        env={"SIZES": "16 48", **settings},
    )


def test_each_size_has_its_column(broken: Copy) -> None:
    result = make(broken("right"), "bench", "SIZES=16 2^5 48")
    assert result.status == 0
    heading, row = result.out.splitlines()
    assert heading.split() == ["right_lab01_cpu_naive,", "GFLOP/s", "16", "2^5", "48"]
    assert re.fullmatch(r"  gemm {24}( +[\d.]+){3}", row)
    assert len(heading) == len(row) == 60


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (
            "hangs",
            {"LIMIT": "1"},
            "no result within 1 s at 16 x 16 x 16: a loop that does not end?",
        ),
        (
            "crashes",
            {},
            "crashed with signal 11 at 16 x 16 x 16: kernel.c:12 writes where there is no memory",
        ),
        ("is_wrong", {}, "wrong at 16 x 16 x 16: "),
        ("ends", {}, "the kernel ended the program before its result was verified"),
    ],
)
def test_a_program_that_fails_says_why_and_the_others_go_on(
    broken: Copy, tree: Path, kind: str, settings: dict[str, str], words: str
) -> None:
    result = bench(tree, broken(kind), broken("right"), **settings)
    assert result.status == 1
    assert re.search("^  gemm +FAIL +FAIL$", result.out, re.M)
    assert words in " ".join(result.out.split())
    assert re.search(
        r"^right_lab01_cpu_naive, GFLOP/s +16 +48\n  gemm +[\d.]+ +[\d.]+$", result.out, re.M
    )
    assert max(map(len, result.out.splitlines())) <= 80


def test_a_lab_that_does_not_build_says_why_and_the_others_go_on(broken: Copy, tree: Path) -> None:
    result = bench(tree, broken("does_not_build"), broken("right"))
    assert result.status == 1
    assert "does not build: kernel.c:" in result.out
    assert re.search(r"^  gemm +[\d.]+ +[\d.]+$", result.out, re.M)


def test_a_skip_has_its_reason(tree: Path) -> None:
    result = make(tree / "lab02_avx", "bench", "TYPE=int", "SIZES=16 48")
    assert result.status == 0
    assert re.search("^  gemm +skip +skip$", result.out, re.M)
    assert "written for float, not int" in result.out


def test_steps_come_first(lab: Copy, tree: Path) -> None:
    folder = lab("lab01_cpu_naive")
    for variant in "zebra", "aardvark", "other":
        (folder / f"kernel_{variant}.c").write_bytes((folder / "kernel.c").read_bytes())
    edit(folder / "Makefile", "include", "STEPS = zebra aardvark\ninclude")
    result = bench(tree, folder, SIZES="16")
    programs = re.findall(r"^  (gemm\S*)", result.out, re.M)
    assert programs == ["gemm_zebra,", "gemm_aardvark,", "gemm", "gemm_other"]


@pytest.mark.parametrize("sizes", ["0", "64 abc", "2^31", "-1"])
def test_sizes_that_are_none(broken: Copy, sizes: str) -> None:
    result = make(broken("right"), "bench", f"SIZES={sizes}")
    assert result.status == 2
    assert re.match(r"bench: SIZE: \S+ is no size: give 1 to ", result.err)
    assert result.out == ""


def test_a_limit_that_is_no_number(broken: Copy) -> None:
    result = make(broken("right"), "bench", "LIMIT=soon")
    assert result.status == 2
    assert result.err.startswith("bench: LIMIT=soon: give whole seconds")


def test_a_given_tunable_is_used(lab: Copy) -> None:
    folder = lab("lab01_cpu_naive")
    edit(
        folder / "params.h",
        "#define TILE_K",
        "#ifndef SPEED\n#define SPEED 1\n#endif\n#if SPEED == 7\n#error seven\n#endif\n#define "
        "TILE_K",
    )
    assert make(folder, "bench", "SIZES=16").status == 0
    result = make(folder, "bench", "SIZES=16", "SPEED=7")
    assert result.status == 2
    assert "#error seven" in result.out


def test_speeds_of_whole_numbers_are_no_flop(tree: Path) -> None:
    words = ["bench", "LAB=01", "TYPE=int", "SIZES=16"]
    assert make(tree, *words).out.splitlines()[0].split() == ["lab01_cpu_naive,", "GOP/s", "16"]
    said = make(tree, "run", "LAB=01", "TYPE=int", "SIZE=96")
    assert "GFLOP/s" not in said.out and "GOP/s" in said.out
