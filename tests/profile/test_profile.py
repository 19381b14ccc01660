# SPDX-License-Identifier: MIT
"""make profile: a table, a record and the line that costs most, of each backend; of a kernel that
is wrong, and of one that does not come to its end."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.copies import changed, workshop
from tests.golden import ANEW, golden
from tests.schemas import complaints
from tests.support import Result, make, needs

CUDA, OPENCL, NAIVE = "lab08_cuda_naive", "lab04_ocl_naive", "lab01_cpu_naive"
TILES = "lab07_ocl_localmem"
ALONG_ROWS = [  # dimension x: each lane reads, and writes, another row
    (
        "const int col = blockIdx.x * blockDim.x + threadIdx.x;",
        "const int col = blockIdx.y * blockDim.y + threadIdx.y;",
    ),
    (
        "const int row = blockIdx.y * blockDim.y + threadIdx.y;",
        "const int row = blockIdx.x * blockDim.x + threadIdx.x;",
    ),
]


def profile(
    folder: Path, *words: str, env: dict[str, str] | None = None
) -> tuple[Result, dict[str, Any]]:
    """The record is sound, whatever became of the kernel."""
    ended = make(folder, "profile", *words, env=env)
    record = json.loads((folder / "build/profile.json").read_text(encoding="utf-8"))
    assert complaints(record, "gemm-profile") == []
    table = ended.out if "V=1" not in words else ""  # whose lines are as long as the source's
    assert all(len(line) <= 80 for line in table.splitlines()), ended.out
    return ended, record["programs"][0]


def line_of(folder: Path, text: str) -> int:
    source = next(folder.glob("kernel.c*")).read_text(encoding="utf-8")
    return next(n for n, line in enumerate(source.splitlines(), 1) if text in line)


@contextmanager
def edited(folder: Path, *edits: tuple[str, str]) -> Iterator[None]:
    """Its kernel has other texts for a while."""
    kernel = next(folder.glob("kernel.c*"))
    text = kernel.read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    with changed(kernel, text):
        yield


def test_what_it_prints(tree: Path) -> None:
    """Of CUDA in full tiles, in partial ones, annotated, and with a slow line; of OpenCL with bank
    conflicts, and with 64 lanes."""
    needs("g++")
    needs("clang")
    cuda, opencl, tiles = (workshop(tree, lab) for lab in (CUDA, OPENCL, TILES))
    said = [
        profile(cuda, "SIZE=64", "CUDA=cpu")[0].out,
        profile(cuda, "SIZE=40 70 20", "CUDA=cpu")[0].out,
        profile(cuda, "SIZE=32", "CUDA=cpu", "V=1")[0].out,
        profile(tiles, "SIZE=64", "VARIANT=swapped")[0].out,
        profile(opencl, "SIZE=32 64 8", "GROUP_X=64", "GROUP_Y=1", "WARP=64")[0].out,
    ]
    with edited(cuda, *ALONG_ROWS):
        said.append(profile(cuda, "SIZE=64", "CUDA=cpu")[0].out)
    shown = "\n".join(said)
    assert shown == golden(Path(__file__).with_name("profile.txt"), shown), ANEW


def test_an_opencl_kernel_counts_as_its_twin_in_cuda(tree: Path) -> None:
    """Labs 04 and 08 are one kernel, and with the same groups ask for the same."""
    needs("clang")
    needs("g++")
    words = "SIZE=40 70 20"
    opencl = profile(workshop(tree, OPENCL), words, "GROUP_X=16", "GROUP_Y=16")[1]
    cuda = profile(workshop(tree, CUDA), words, "CUDA=cpu", "BLOCK=16")[1]
    assert opencl["problem"] == cuda["problem"] == {"M": 40, "N": 70, "K": 20}
    assert opencl["totals"] == cuda["totals"]
    # Of 40 x 70 elements each loads K of A and of B, and is stored.
    lanes = [(one["array"], one["lanes"]) for one in cuda["lines"]]
    assert lanes == [("A", 40 * 70 * 20), ("B", 40 * 70 * 20), ("C", 40 * 70)]
    assert lanes == [(one["array"], one["lanes"]) for one in opencl["lines"]]


def test_warps_of_64_lanes(tree: Path) -> None:
    """Half as many requests; the bytes of each take as many sectors."""
    needs("clang")
    folder, words = workshop(tree, OPENCL), ("SIZE=32 64 8", "GROUP_X=64", "GROUP_Y=1")
    few, many = (profile(folder, *words, *more)[1] for more in (["WARP=64"], []))
    store, other = (one["totals"]["global_store"] for one in (few, many))
    assert (store["requests"], other["requests"]) == (32, 64)
    assert store["sectors"] == other["sectors"] == 32 * 64 * 4 // 32
    assert all(one["lanes"] == 64 * one["requests"] for one in few["lines"])


@pytest.mark.parametrize(
    ("access", "requests"),
    [
        ("float4 v = *(__global const float4 *)A; (void)v;", 32),
        ("float4 v = vload4(0, A); (void)v;", 4 * 32),
        ("struct two { float4 of[2]; } v = *(__global struct two *)A; (void)v;", 2 * 32),
        (
            "__local real v[16]; event_t e = async_work_group_copy(v, A, 16, 0); "
            "wait_group_events(1, &e);",
            4,
        ),
    ],
)
def test_wide_loads_of_an_opencl_kernel(tree: Path, access: str, requests: int) -> None:
    """32 warps in four groups. A request has 16 bytes a lane at most; vload4() promises no
    alignment, by which a GPU could load its elements together."""
    needs("clang")
    folder = workshop(tree, OPENCL)
    first = "    if (row < M && col < N) {"
    with edited(folder, (first, f"    {access}\n{first}")):
        program = profile(folder, "SIZE=32 32 8", "GROUP_X=16", "GROUP_Y=16")[1]
        line = line_of(folder, access)
    assert program["wrong"] is None
    found = [(one["array"], one["requests"]) for one in program["lines"] if one["line"] == line]
    assert ("A", requests) in found


def test_a_kernel_in_c_counts_each_instruction_once(tree: Path) -> None:
    """However often callgrind names it: the first iteration of a loop is in another basic block
    than the others. A compiler may begin a long loop elsewhere."""
    needs("valgrind")
    folder = workshop(tree, NAIVE)
    inner = line_of(folder, "sum += A[")
    for size, least in (("64 64 2", 1.0), ("64 64 256", 0.9)):
        ended, program = profile(folder, f"SIZE={size}")
        [reads] = [one["reads"] for one in program["lines"] if one["line"] == inner]
        every = 2 * 64 * 64 * int(size.split()[2])
        assert ended.status == 0 and program["totals"] is None
        assert least * every <= reads <= every


ENDED, NO_MEMORY = "did not come to its end", "asks for no memory"
FAR = "C[(1 << 29) + col] = sum;"
FAILURES = {
    "crashes, C": (NAIVE, ("A[i * K + k]", "A[(1 << 29) + i * K + k]"), [ENDED]),
    "crashes, CUDA": (CUDA, ("C[row * N + col] = sum;", FAR), [ENDED, "kernel.cu:"]),
    "is empty": (CUDA, ("row < M && col < N", "row < 0 && col < N"), [NO_MEMORY]),
    "does not build": (CUDA, ("real sum = 0;", "real sum = none;"), ["does not build: kernel.cu:"]),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_kernel_that_cannot_be_counted_says_why(tree: Path, kind: str) -> None:
    needs("valgrind")
    needs("g++")
    lab, edit, words = FAILURES[kind]
    folder = workshop(tree, lab)
    with edited(folder, edit):
        ended, program = profile(folder, "SIZE=32", "CUDA=cpu")
    assert ended.status == 2  # of make; of the command 1
    assert all(word in program["failure"] for word in words), program["failure"]


def test_a_wrong_kernel_is_counted_and_called_wrong(tree: Path) -> None:
    needs("g++")
    folder = workshop(tree, CUDA)
    with edited(folder, ("C[row * N + col] = sum;", "C[row * N + col] = sum + 1;")):
        ended, program = profile(folder, "SIZE=64", "CUDA=cpu")
    assert ended.status == 0 and program["wrong"] and "its result is wrong" in ended.out
    # What looks for the cause afterwards is not counted.
    assert program["totals"]["global_store"]["bytes"] == 64 * 64 * 4


def test_what_cannot_be_counted_is_a_skip_with_its_reason(tree: Path, tmp_path: Path) -> None:
    for tool in "make sh cc gcc sed cut tr cksum awk env cat mkdir python3".split():
        if where := shutil.which(tool):
            (tmp_path / tool).symlink_to(os.path.realpath(where) if tool != "python3" else where)
    ended, program = profile(workshop(tree, NAIVE), env={"PATH": str(tmp_path)})
    assert ended.status == 0
    assert program["skip"] == "valgrind is not installed: apt-get install valgrind"


@pytest.mark.parametrize(
    ("lab", "word", "said"),
    [
        (CUDA, "SIZE=abc", "SIZE"),
        (CUDA, "VARIANT=none", "none"),
        (CUDA, "WARP=64", "CUDA's warps have 32 lanes; WARP is for OpenCL labs: LAB=07"),
        (NAIVE, "WARP=64", "a CPU has no warps; WARP is for OpenCL labs: LAB=07"),
        (OPENCL, "WARP=16", "WARP=16: choose 32 or 64 lanes"),
        (CUDA, "DEVICE=h100", "make profile knows DEVICE=gpu"),
    ],
)
def test_bad_input_is_one_line(tree: Path, lab: str, word: str, said: str) -> None:
    ended = make(workshop(tree, lab), "profile", word)
    lines = [line for line in ended.err.splitlines() if not line.startswith("make")]
    assert ended.status == 2 and len(lines) == 1 and said in lines[0], ended.err
