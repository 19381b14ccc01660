# SPDX-License-Identifier: MIT
"""Why a kernel in C misses the L1 cache: each rule of engine/count/cache.h; whole labs beside what
callgrind counts, which tells no causes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.copies import workshop
from tests.support import TOP, make, needs, run
from workbook.profile.misses import L1, l1

SIZES = {"size": "48K", "ways_of_associativity": "12", "coherency_line_size": "64"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs("g++")
    folder = tmp_path_factory.mktemp("cache")
    source = TOP / "tests/profile/cache.cpp"
    built = run(["g++", "-std=c++17", f"-I{TOP}", "-o", "cache", source], folder)
    assert built.status == 0, built.err
    return folder / "cache"


C, HIT, CAPACITY, CONFLICT = "compulsory", "hit", "capacity", "conflict"


@pytest.mark.parametrize(
    "lines, outcomes",
    [  # of a cache of four lines in two sets: those of even numbers, and of odd ones
        ("0 0 1 0 1", [C, HIT, C, HIT, HIT]),
        # Three of one set: two lines are unused, so it is a conflict.
        ("0 2 4 0 2 4", [C, C, C, CONFLICT, CONFLICT, CONFLICT]),
        # Five that take turns are too many for any cache of four.
        ("0 1 2 3 4 0 1", [C, C, C, C, C, CAPACITY, HIT]),
        # Of a set the one that was used longest ago goes, not the one that came first.
        ("0 2 0 4 0 2", [C, C, HIT, C, HIT, CONFLICT]),
        # What comes back is new to the cache, but not to the program.
        ("0 1 2 3 4 5 6 7 0", [C] * 8 + [CAPACITY]),
    ],
)
def test_each_miss_has_its_cause(cache: Path, lines: str, outcomes: list[str]) -> None:
    said = subprocess.run(
        [cache, "256", "2", "64"], input=lines, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == outcomes


def lines_of(folder: Path, *words: str) -> dict[int, dict[str, Any]]:
    assert make(folder, "profile", *words).status == 0
    record = json.loads((folder / "build/profile.json").read_text(encoding="utf-8"))
    return {one["line"]: one for one in record["programs"][0]["lines"]}


def test_a_column_of_a_power_of_two_conflicts(tree: Path) -> None:
    """B's columns fall into few sets: at 128 nearly all misses are conflicts, at 124 none are."""
    needs("valgrind")
    needs("g++")
    folder = workshop(tree, "lab01_cpu_naive")
    kernel = (folder / "kernel.c").read_text(encoding="utf-8").splitlines()
    inner = next(n for n, line in enumerate(kernel, 1) if "sum += A[" in line)
    at_128 = lines_of(folder, "SIZE=128")[inner]
    if l1() is None:  # the machine does not say, and nothing is guessed
        assert at_128["conflict"] is None
        return
    assert at_128["conflict"] > 0.9 * at_128["l1_misses"]
    found = sum(at_128[cause] for cause in (C, CAPACITY, CONFLICT))
    assert found == pytest.approx(at_128["l1_misses"], rel=0.01)
    at_124 = lines_of(folder, "SIZE=124")[inner]
    assert at_124["conflict"] < 0.1 * at_128["conflict"]


def test_the_machines_cache_is_what_it_says(tmp_path: Path) -> None:
    assert l1(tmp_path) is None
    for index, kind in enumerate(("Instruction", "Data")):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        for name, text in {**SIZES, "level": "1", "type": kind}.items():
            (folder / name).write_text(f"{text}\n", encoding="utf-8")
    assert l1(tmp_path) == L1(48 << 10, 12, 64)
    (tmp_path / "index1/size").unlink()
    assert l1(tmp_path) is None
