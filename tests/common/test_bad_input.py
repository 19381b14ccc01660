# SPDX-License-Identifier: MIT
"""A command line that makes no sense, or asks for the impossible, gets exit status 2 and one clear
line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.copies import workshop
from tests.support import Result, make, run

SIZES = ["0", "-1", "-5", "99999999999", "2^40", "2^31", "2^", "2^-1", "^5", "0^5", "-3^2"]
SIZES += ["abc", "1.5", "1e3", " ", "", "64x"]
REFUSED = {
    **{f"size '{size}'": [size] for size in SIZES},
    "two sizes": ["64", "64"],
    "four sizes": ["64", "64", "64", "64"],
    "zero among three": ["64", "0", "64"],
    "too many elements": ["70000", "70000", "70000"],
    "too many elements of B": ["1", "70000", "70000"],
    "reps 0": ["64", "--reps", "0"],
    "reps 1001": ["64", "--reps", "1001"],
    "reps x": ["64", "--reps", "x"],
    "reps without value": ["64", "--reps"],
    "seed -1": ["64", "--seed", "-1"],
    "json without value": ["64", "--json"],
    "json in no folder": ["64", "--json", "/nonexistent/x.json"],
    "json that is a folder": ["64", "--json", "."],
    "csv without value": ["64", "--csv"],
    "csv in no folder": ["64", "--csv", "/nonexistent/x.csv"],
    "csv that is a folder": ["64", "--csv", "."],
    "csv on a full disk": ["64", "--reps", "1", "--csv", "/dev/full"],
    "binary without value": ["64", "--binary"],
    "unknown option": ["64", "--fast"],
    "short option": ["64", "-r"],
    "device nosuch": ["64", "--device", "nosuch"],
    "device 99": ["64", "--device", "99"],
    "device -1": ["64", "--device", "-1"],
    "check with size": ["64", "--check"],
}


@pytest.fixture(scope="module", params=["lab01_cpu_naive", "lab04_ocl_naive"])
def folder(request: pytest.FixtureRequest, tree: Path) -> Path:
    return built(tree, request.param)


def built(tree: Path, lab: str) -> Path:
    folder = workshop(tree, lab)
    assert make(folder, "gemm").status == 0
    return folder


def is_refused(ended: Result) -> bool:
    assert ended.status == 2, ended.text
    assert re.fullmatch(r"gemm: .+\n", ended.err), ended.err
    assert "GFLOP" not in ended.out
    return True


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED)
def test_is_refused_in_one_line(folder: Path, arguments: list[str]) -> None:
    assert is_refused(run(["./gemm", *arguments], folder))


def test_more_memory_than_there_is_is_refused(folder: Path) -> None:
    limited = (
        "ulimit -v 8000000; exec ./gemm 46000 46000 46000"  # KiB; each matrix would need as much
    )
    assert is_refused(run(limited, folder))


def test_a_pipe_in_place_of_the_record_is_refused_and_stays(folder: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert is_refused(run(["./gemm", "64", "--json", pipe], folder))
    assert pipe.is_fifo()


def test_a_device_is_chosen_by_its_number_or_a_part_of_its_name(folder: Path) -> None:
    listed = run(["./gemm", "--list-devices"], folder).out
    name = re.search(r"^\* +(\d+) +(.*)", listed, re.MULTILINE)
    assert name, listed
    # A number that is no index is part of a name: 3080 finds a GeForce RTX 3080.
    number = re.search(r"\d\d+", name[2])
    part = number[0] if number and int(number[0]) > listed.count("\n") else name[2][:12]
    for choice in name[1], part:
        ended = run(["./gemm", "16", "--device", choice], folder)
        assert re.search("verified +PASS", ended.out), ended.text


@pytest.mark.parametrize("option", ["--help", "--list-devices"])
def test_an_option_that_asks_is_answered(folder: Path, option: str) -> None:
    ended = run(["./gemm", option], folder)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out != ""


@pytest.mark.parametrize("N", ["400000000", "2147483640"])
def test_indices_past_an_int_are_refused(tree: Path, N: str) -> None:
    """In a partial tile a kernel forms the index of its last row: 6 rows of 400 million
    columns."""
    assert is_refused(run(["./gemm", "1", N, "1"], built(tree, "lab03_avx_block")))


@pytest.mark.parametrize(
    ("lab", "setting", "words"),
    [
        ("lab03_avx_block", "BLOCK_KN=7", "BLOCK_KN must be a multiple of 16"),
        ("lab03_avx_block", "ROWS=0", "ROWS must be from 1 to 16"),
        ("lab04_ocl_naive", "GROUP_X=0", "GROUP_X and GROUP_Y must be from 1 to 1024"),
        ("lab07_ocl_localmem", "PAD=33", "PAD must be from 0 to 32"),
        ("lab01_cpu_naive", "TYPE=foo", "TYPE=foo: choose float, double or int"),
        ("lab02_avx", "VARIANT=foo", "VARIANT=foo: this lab has none"),
    ],
)
def test_a_setting_that_cannot_be_is_not_built(
    tree: Path, lab: str, setting: str, words: str
) -> None:
    target = "gemm" if "=foo" in setting else "build/main.o"  # what params.h says, main.c is told
    ended = make(workshop(tree, lab), setting, target)
    assert ended.status == 2
    assert words in ended.text
