# SPDX-License-Identifier: MIT
"""make bench: every program of a lab at several sizes. And what demo, bench, sweep and run refuse,
in one line."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.support import Result, edit, make, run


def bench(tree: Path, *folders: Path, **settings: str) -> Result:
    env = {"SIZES": "16 48", **settings}
    return run([sys.executable, "-m", "workbook", "bench", *folders], tree, env=env)


def test_each_size_has_its_column(broken: Copy) -> None:
    result = make(broken("right"), "bench", "SIZES=16 2^5 48")
    assert result.status == 0
    heading, row = result.out.splitlines()
    assert heading.split() == ["right_lab01_cpu_naive,", "GFLOP/s", "16", "2^5", "48"]
    assert re.fullmatch(r"  gemm {24}( +[\d.]+){3}", row)
    assert len(heading) == len(row) == 60


def test_a_program_that_fails_says_why_and_the_others_go_on(broken: Copy, tree: Path) -> None:
    result = bench(tree, broken("is_wrong"), broken("does_not_build"), broken("right"))
    assert result.status == 1
    assert re.search("^  gemm +FAIL +FAIL$", result.out, re.M)
    assert "wrong at 16 x 16 x 16: " in " ".join(result.out.split())
    assert "does not build: kernel.c:" in result.out
    right = r"^right_lab01_cpu_naive, GFLOP/s +16 +48\n  gemm +[\d.]+ +[\d.]+$"
    assert re.search(right, result.out, re.M)
    assert max(map(len, result.out.splitlines())) <= 80


def test_of_whole_numbers_avx_is_skipped_and_speeds_are_no_flop(tree: Path) -> None:
    result = make(tree, "bench", "LABS=01 02", "TYPE=int", "SIZES=16 48")
    assert result.status == 0
    assert result.out.splitlines()[0].split() == ["lab01_cpu_naive,", "GOP/s", "16", "48"]
    assert re.search("^  gemm +skip +skip$", result.out, re.M)
    assert "written for float, not int" in result.out
    said = make(tree, "run", "LAB=01", "TYPE=int", "SIZE=96")
    assert "GFLOP/s" not in said.out and "GOP/s" in said.out


def test_steps_come_first_and_a_given_tunable_is_used(lab: Copy, tree: Path) -> None:
    folder = lab("lab01_cpu_naive")
    for variant in "zebra", "aardvark", "other":
        (folder / f"kernel_{variant}.c").write_bytes((folder / "kernel.c").read_bytes())
    edit(folder / "Makefile", "include", "STEPS = zebra aardvark\ninclude")
    guard = "#ifndef SPEED\n#define SPEED 1\n#endif\n#if SPEED == 7\n#error seven\n#endif\n"
    edit(folder / "params.h", "#define TILE_K", f"{guard}#define TILE_K")
    programs = re.findall(r"^  (gemm\S*)", bench(tree, folder, SIZES="16").out, re.M)
    assert programs == ["gemm_zebra,", "gemm_aardvark,", "gemm", "gemm_other"]
    result = make(folder, "bench", "SIZES=16", "SPEED=7")
    assert result.status == 2 and "#error seven" in result.out


NO_SIZE = r"SIZE: \S+ is no size: give 1 to 2\^31-1, as 1024 or 2\^10$"
NO_LIMIT = "LIMIT=soon: give whole seconds, such as LIMIT=300"


@pytest.mark.parametrize("size", ["0", "abc", "0^5", "-3^2", "99999999999", "2^31", "64 0 64"])
def test_a_size_that_is_none_is_told_before_anything_is_built(bare: Path, size: str) -> None:
    for command in "demo", "sweep":
        result = make(bare, command, f"SIZE={size}")
        assert (result.status, result.out) == (2, "")
        assert re.match(f"{command}: {NO_SIZE}", result.err, re.M)
    assert not list(bare.glob("**/build"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bench SIZES=64,abc", f"bench: {NO_SIZE}"),
        ("bench LIMIT=soon", f"bench: {NO_LIMIT}"),
        ("sweep LIMIT=soon", f"sweep: {NO_LIMIT}"),
        ("run LIMIT=soon", f"run: {NO_LIMIT}"),
        ("run SIZE=0", "gemm: .*size 0 is out of range"),
    ],
)
def test_bad_input_is_one_line(broken: Copy, words: str, said: str) -> None:
    result = make(broken("right"), *(word.replace(",", " ") for word in words.split()))
    assert (result.status, result.out) == (2, "")
    lines = [line for line in result.err.splitlines() if not line.startswith("make")]
    assert len(lines) == 1 and re.match(said, lines[0]), result.err


@pytest.mark.parametrize("words", [["lab99"], ["common"], []])
def test_what_is_no_lab(tree: Path, words: list[str]) -> None:
    result = run([sys.executable, "-m", "workbook", "demo", *words], tree)
    assert result.status == 2 and "lab" in result.err.splitlines()[-1]
