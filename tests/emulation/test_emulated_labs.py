# SPDX-License-Identifier: MIT
"""The CUDA labs on a CPU: no speed is ever told, the order of threads is random and repeatable, and
what is not emulated does not compile. Their kernels, right and broken, are run by test_correct and
test_mutants."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.copies import changed, workshop
from tests.support import edit, gemm, make

LAB = "lab08_cuda_naive"
SIGNATURE = "__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)"


@pytest.fixture
def folder(tree: Path) -> Path:
    """Built each time: a broken one may have been built there."""
    folder = workshop(tree, LAB, "CUDA=cpu")
    assert make(folder, "gemm", "CUDA=cpu").status == 0
    return folder


def test_a_run_tells_no_speed(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "csv"
    ended, record = gemm(folder, "40", "--csv", str(file))
    assert "correctness only" in ended.out
    assert "spread" not in ended.out  # of one run, which is no timing
    assert "GFLOP" not in ended.out
    assert (record["verdict"], record["backend"], record["gflops"]) == ("pass", "emulated", None)
    row = next(csv.DictReader(file.read_text().splitlines()))
    assert (row["backend"], row["device"], row["gflops"]) == (
        "emulated",
        "CUDA emulated on the CPU",
        "",
    )


def test_bench_tells_no_speed(folder: Path) -> None:
    ended = make(folder, "bench", "SIZES=40", "CUDA=cpu")
    assert ended.status == 0
    rows = [line for line in ended.out.splitlines() if line.lstrip().startswith("gemm")]
    assert rows
    assert all(row.split()[1:] == ["right"] for row in rows)


@pytest.fixture(scope="module")
def checked(tree: Path) -> tuple[str, dict[str, Any]]:
    """make check of the lab: what it prints, and the lab's record."""
    folder = workshop(tree, LAB, "CUDA=cpu")
    printed = make(folder, "check", "CUDA=cpu").out
    return printed, json.loads((folder.parent / "build/check.json").read_text())["labs"][0]


def test_check_says_that_it_is_emulated(checked: tuple[str, dict[str, Any]]) -> None:
    printed, lab = checked
    row = next(line for line in printed.splitlines() if line.startswith(lab["lab"]))
    assert " PASS " in row
    assert "emulated" in row
    assert (lab["emulated"], lab["gflops"], lab["speedup"]) == (True, None, None)


def test_launches_follow_the_seed(folder: Path) -> None:
    """A kernel whose result depends on which thread comes last."""
    last = (
        f"{SIGNATURE} "
        f"{{ for (int i = 0; i < M * N; i++) C[i] = threadIdx.y * 32 + threadIdx.x + 0 * K; }}\n"
    )
    with changed(folder / "kernel.cu", last):
        assert make(folder, "gemm", "CUDA=cpu").status == 0
        first, again, other = (
            gemm(folder, "16", env={"EMULATION_SEED": seed})[1]["finding"]["first"]["got"]
            for seed in "112"
        )
    assert first == again
    assert first != other


UNKNOWN = {
    "__activemask": ("", "C[0] = __activemask();"),
    "atomicAdd": ("", "atomicAdd((short *)C, 1);"),
    "cublasSaxpy": ("#include <cublas_v2.h>", "C[0] = cublasSaxpy(0);"),
    "a grid that waits": (
        "#include <cooperative_groups.h>",
        "cooperative_groups::this_grid().sync();",
    ),
    "__nv_fp8_e4m3": ("#include <cuda_fp8.h>", "__nv_fp8_e4m3 x;"),
    "tex1Dfetch": ("", "C[0] = tex1Dfetch<float>(0, 1);"),
    "__shared__": ("__shared__ real tile[4];", "C[0] = tile[0];"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_emulated_needs_nvcc(folder: Path, name: str) -> None:
    before, inside = UNKNOWN[name]
    with changed(folder / "kernel.cu", f"{before}\n{SIGNATURE}\n{{\n    {inside}\n}}\n"):
        ended = make(folder, "build/kernel.o", "CUDA=cpu")
    assert ended.status == 2
    assert name in ended.err
    assert "needs nvcc" in ended.err
    assert str(folder.parent) not in ended.err


def test_what_is_not_there_is_told_in_one_line(folder: Path) -> None:
    """With the line of the kernel, and no template of ours: here a shuffle of a struct."""
    inside = "pair p = {1, 2};\n    __shfl_sync(~0u, p, 0);"
    kernel = f"struct pair {{ int x, y; }};\n{SIGNATURE}\n{{\n    {inside}\n}}\n"
    with changed(folder / "kernel.cu", kernel):
        ended = make(folder, "build/kernel.o", "CUDA=cpu")
    said = [
        line for line in ended.err.splitlines() if "error" in line and not line.startswith("make")
    ]
    assert said == ["kernel.cu:5:16: error: there is no shuffle of this type in CUDA"]


# ---- dynamic shared memory: both tiles in one array, whose bytes the launch gives


LAUNCH = "gemm<<<grid, block"
TILES = "2 * BLOCK * BLOCK * sizeof(real)"


@pytest.fixture(scope="module")
def dynamic(tree: Path) -> Iterator[Path]:
    folder = workshop(tree, "lab09_cuda_shared", "CUDA=cpu")
    main, kernel = folder / "main.cu", folder / "kernel.cu"
    before = main.read_text(), kernel.read_text()
    edit(main, f"{LAUNCH}>>>", f"{LAUNCH}, {TILES}>>>")
    edit(kernel, "__shared__ real a_tile[BLOCK][BLOCK]", "extern __shared__ real tiles[]")
    views = "real(*a_tile)[BLOCK] = (real(*)[BLOCK])tiles, (*b_tile)[BLOCK] = a_tile + BLOCK"
    edit(kernel, "__shared__ real b_tile[BLOCK][BLOCK]", views)
    yield folder
    main.write_text(before[0])
    kernel.write_text(before[1])


def test_dynamic_shared_memory_is_right_on_every_shape(dynamic: Path) -> None:
    assert make(dynamic, "gemm", "CUDA=cpu").status == 0
    ended, record = gemm(dynamic, "--check")
    assert (record["verdict"], len(record["shapes"])) == ("pass", 33), ended.text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("0", "an extern __shared__ array gets no memory"),
        (
            f"{TILES} + (48 << 10)",
            "cudaErrorInvalidValue",
        ),  # more than a launch may ask for without leave
    ],
)
def test_a_launch_that_gives_wrong_bytes_is_told(dynamic: Path, given: str, words: str) -> None:
    main = dynamic / "main.cu"
    with changed(main, main.read_text().replace(TILES, given)):
        assert make(dynamic, "gemm", "CUDA=cpu").status == 0
        ended, record = gemm(dynamic, "64")
    assert ended.status in (1, 2)
    assert words in ended.err
    assert words in record["reason"]


@pytest.mark.parametrize("by", ["", " + 0 * tiles[0]", " + FIRST"])
def test_one_that_nobody_uses_takes_none(tree: Path, by: str) -> None:
    """In this function: another has one of the same name."""
    folder = workshop(tree, "lab08_cuda_naive", "CUDA=cpu")
    text = (folder / "kernel.cu").read_text()
    other = "#define FIRST 0 * tiles[0]\n" if "FIRST" in by else ""
    other += "__global__ void other(real *C) { extern __shared__ real tiles[]; *C = *tiles; }\n"
    text = text.replace("__global__", f"{other}__global__", 1)
    text = text.replace("real sum", "extern __shared__ real tiles[];\n        real sum", 1)
    with changed(folder / "kernel.cu", text.replace("real sum = 0", f"real sum = 0{by}")):
        assert make(folder, "gemm", "CUDA=cpu").status == 0
        ended, record = gemm(folder, "64")
    if by:
        assert "an extern __shared__ array gets no memory" in record["reason"]
    else:
        assert (ended.status, record["verdict"]) == (0, "pass"), ended.text
