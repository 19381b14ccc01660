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
from tests.schemas import complaints
from tests.support import Result, make, needs

CUDA, OPENCL, NAIVE = "lab08_cuda_naive", "lab04_ocl_naive", "lab01_cpu_naive"
ALONG_ROWS = (
    "const int col = blockIdx.x * blockDim.x + threadIdx.x;",
    "const int col = blockIdx.y * blockDim.y + threadIdx.y;",
)
ALONG_COLUMNS = (
    "const int row = blockIdx.y * blockDim.y + threadIdx.y;",
    "const int row = blockIdx.x * blockDim.x + threadIdx.x;",
)
ZERO = dict.fromkeys(("requests", "wavefronts", "ideal", "bytes"), 0)


def profile(
    folder: Path, *words: str, env: dict[str, str] | None = None
) -> tuple[Result, dict[str, Any]]:
    """The record is sound, whatever became of the kernel."""
    ended = make(folder, "profile", *words, env=env)
    record = of_record(folder)
    assert complaints(record, "gemm-profile") == []
    table = ended.out if "V=1" not in words else ""  # whose lines are as long as the source's
    assert all(len(line) <= 80 for line in table.splitlines()), ended.out
    return ended, record["programs"][0]


def of_record(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "build/profile.json").read_text(encoding="utf-8"))
    return found


def of_line(program: dict[str, Any], line: int, array: str) -> dict[str, Any]:
    [found] = [one for one in program["lines"] if (one["line"], one["array"]) == (line, array)]
    return dict(found)


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


def test_a_cuda_kernel(tree: Path) -> None:
    needs("g++")
    folder = workshop(tree, CUDA)
    ended, program = profile(folder, "SIZE=40 70 20", "CUDA=cpu")
    assert ended.status == 0, ended.err
    assert program["problem"] == {"M": 40, "N": 70, "K": 20}
    loads = line_of(folder, "sum += A[")
    # Of 40 x 70 elements each loads K of A and of B.
    assert (
        of_line(program, loads, "A")["lanes"]
        == of_line(program, loads, "B")["lanes"]
        == 40 * 70 * 20
    )
    assert program["totals"]["shared_load"] == program["totals"]["shared_store"] == ZERO
    assert program["totals"]["global_store"]["bytes"] == 40 * 70 * 4
    assert "(lab 09)" not in ended.out  # its tiles of 32 x 32 are partial


def test_loads_from_global_memory_are_named(tree: Path) -> None:
    needs("g++")
    said = " ".join(profile(workshop(tree, CUDA), "SIZE=64", "CUDA=cpu")[0].out.split())
    assert "let a block keep tiles of A and B in shared memory (lab 09)" in said


def test_the_slow_line_is_named(tree: Path) -> None:
    """Dimension x along the columns of C: each lane reads, and writes, another row."""
    needs("g++")
    folder = workshop(tree, CUDA)
    with edited(folder, ALONG_ROWS, ALONG_COLUMNS):
        ended, program = profile(folder, "SIZE=64", "CUDA=cpu")
    assert program["wrong"] is None
    said = " ".join(ended.out.split())
    assert f"kernel.cu:{line_of(folder, 'sum += A[')}: A:" in said
    assert "sectors a request" in said and "(coalescing, lab 08)" in said
    # Of each sector one element: of A and C each lane's own, of B the same for all.
    assert "bytes used of those that sectors move: loads 12.5 %, stores 12.5 %" in said
    assert "(coalescing" not in profile(folder, "SIZE=64", "CUDA=cpu")[0].out


def test_an_opencl_kernel_counts_as_its_twin_in_cuda(tree: Path) -> None:
    """Labs 07 and 09 differ; 04 and 08 are one kernel, and with the same groups ask for the
    same."""
    needs("clang")
    needs("g++")
    words = "SIZE=40 70 20"
    opencl = profile(workshop(tree, OPENCL), words)[1]
    cuda = profile(workshop(tree, CUDA), words, "CUDA=cpu", *blocks_of(tree))[1]
    assert opencl["totals"] == cuda["totals"]
    assert [one["array"] for one in opencl["lines"]] == [one["array"] for one in cuda["lines"]]


def blocks_of(tree: Path) -> list[str]:
    """The tunables of lab 08 by which its blocks are lab 04's work-groups."""
    text = (tree / OPENCL / "params.h").read_text(encoding="utf-8")
    sizes = {
        line.split()[1]: line.split()[2]
        for line in text.splitlines()
        if line.startswith("#define GROUP_")
    }
    assert sizes["GROUP_X"] == sizes["GROUP_Y"]
    return [f"BLOCK={sizes['GROUP_X']}"]


def test_warps_of_64_lanes(tree: Path) -> None:
    """Half as many requests; the bytes of each take as many sectors."""
    needs("clang")
    folder, words = workshop(tree, OPENCL), ("SIZE=32 64 8", "GROUP_X=64", "GROUP_Y=1")
    few, many = (profile(folder, *words, *more) for more in (["WARP=64"], []))
    said, usual = (" ".join(one[0].out.split()) for one in (few, many))
    assert "by the engine of warps of 64, no times" in said and "by the engine, no times" in usual
    assert of_record(folder)["warp"] == 32
    store, other = (one[1]["totals"]["global_store"] for one in (few, many))
    assert (store["requests"], other["requests"]) == (32, 64)
    assert store["sectors"] == other["sectors"] == 32 * 64 * 4 // 32
    assert all(one["lanes"] == 64 * one["requests"] for one in few[1]["lines"])


@pytest.mark.parametrize(
    ("access", "requests"),
    [
        ("float4 v = *(__global const float4 *)A; (void)v;", 32),
        ("float4 v = vload4(0, A); (void)v;", 4 * 32),
        ("float8 v = *(__global const float8 *)A; (void)v;", 2 * 32),
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
    assert of_line(program, line, "A")["requests"] == requests


def test_a_setting_of_warps_that_has_no_meaning_is_refused(tree: Path) -> None:
    for lab, words, said in (
        (CUDA, "profile WARP=64", "CUDA's warps have 32 lanes; WARP is for OpenCL labs: LAB=07"),
        (NAIVE, "profile WARP=64", "a CPU has no warps; WARP is for OpenCL labs: LAB=07"),
        (OPENCL, "profile WARP=16", "WARP=16: choose 32 or 64 lanes"),
        (OPENCL, "page WARP=64", "make page draws warps of 32 lanes; leave WARP out"),
    ):
        ended = make(workshop(tree, lab), *words.split())
        lines = [line for line in ended.err.splitlines() if not line.startswith("make")]
        assert ended.status == 2 and len(lines) == 1 and lines[0].endswith(said), ended.err


def test_a_kernel_in_c(tree: Path) -> None:
    needs("valgrind")
    folder = workshop(tree, NAIVE)
    ended, program = profile(folder, "SIZE=64 64 512")
    inner = next(one for one in program["lines"] if one["line"] == line_of(folder, "sum += A["))
    assert ended.status == 0 and program["totals"] is None
    # Of A and B; a compiler may begin the loop elsewhere.
    assert inner["reads"] >= 0.9 * 2 * 64 * 64 * 512


def test_each_instruction_counts_once_however_often_callgrind_names_it(tree: Path) -> None:
    """The first iteration of a loop is in another basic block than the others."""
    needs("valgrind")
    folder = workshop(tree, NAIVE)
    inner = line_of(folder, "sum += A[")
    program = profile(folder, "SIZE=64 64 2")[1]
    assert [one["reads"] for one in program["lines"] if one["line"] == inner] == [2 * 64 * 64 * 2]


def test_a_kernel_in_c_that_crashes(tree: Path) -> None:
    needs("valgrind")
    folder = workshop(tree, NAIVE)
    with edited(folder, ("A[i * K + k]", "A[(1 << 29) + i * K + k]")):
        ended, program = profile(folder, "SIZE=32")
    assert ended.status == 2 and "did not come to its end" in program["failure"]


def test_an_empty_kernel_says_so(tree: Path) -> None:
    needs("g++")
    folder = workshop(tree, CUDA)
    with edited(folder, ("row < M && col < N", "row < 0 && col < N")):
        ended, program = profile(folder, "SIZE=32", "CUDA=cpu")
    assert ended.status == 2 and "asks for no memory" in program["failure"]


def test_v_shows_the_source(tree: Path) -> None:
    needs("g++")
    ended = profile(workshop(tree, CUDA), "SIZE=32", "CUDA=cpu", "V=1")[0]
    shown = next(line for line in ended.out.splitlines() if "sum += A[" in line)
    assert " sec " in shown


def test_a_wrong_kernel_is_counted_and_called_wrong(tree: Path) -> None:
    needs("g++")
    folder = workshop(tree, CUDA)
    with edited(folder, ("C[row * N + col] = sum;", "C[row * N + col] = sum + 1;")):
        ended, program = profile(folder, "SIZE=64", "CUDA=cpu")
        once = program["totals"]["global_store"]["bytes"]
    assert program["wrong"] and "its result is wrong" in ended.out
    assert once == 64 * 64 * 4  # and what looks for the cause afterwards is not counted


def test_a_kernel_that_crashes_says_so(tree: Path) -> None:
    needs("g++")
    folder = workshop(tree, CUDA)
    with edited(folder, ("C[row * N + col] = sum;", "C[(1 << 29) + col] = sum;")):
        ended, program = profile(folder, "SIZE=64", "CUDA=cpu")
    assert ended.status == 2  # of make; of the command 1
    assert "did not come to its end" in program["failure"] and "kernel.cu:" in program["failure"]


def test_what_cannot_be_counted_is_a_skip_with_its_reason(tree: Path, tmp_path: Path) -> None:
    for tool in (
        "make",
        "sh",
        "cc",
        "gcc",
        "sed",
        "cut",
        "tr",
        "cksum",
        "awk",
        "env",
        "cat",
        "mkdir",
        "python3",
    ):
        if where := shutil.which(tool):
            (tmp_path / tool).symlink_to(os.path.realpath(where) if tool != "python3" else where)
    ended, program = profile(workshop(tree, NAIVE), env={"PATH": str(tmp_path)})
    assert ended.status == 0
    assert program["skip"] == "valgrind is not installed: apt-get install valgrind"


@pytest.mark.parametrize("words, said", [(["SIZE=abc"], "SIZE"), (["VARIANT=none"], "none")])
def test_bad_input_is_one_line(tree: Path, words: list[str], said: str) -> None:
    ended = make(workshop(tree, CUDA), "profile", "CUDA=cpu", *words)
    assert ended.status == 2 and said in ended.err and "Traceback" not in ended.err
