# SPDX-License-Identifier: MIT
"""What emulation/ knows of CUDA: tests/emulation/right*.cu are right with every sanitizer, and each
kernel of wrong*.cu is found, in the line whose comment names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import TOP, Result, emulation, needs, run

COMPILERS = ["g++", "clang++"]
SANITIZERS = {
    "plain": ["-O2"],
    "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "thread": ["-fsanitize=thread"],
}
STRICT = ["-g", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
COMPUTES = " computes with memory that nobody wrote"
POINTER = "argument 1 of this launch points to memory"

# A kernel of such a file, what sees it, and in which words.
WRONG = [
    ("plain", "host_pointer", POINTER),
    ("plain", "freed_pointer", POINTER),
    ("plain", "host_matrix", POINTER),
    ("plain", "launch_bounds", "__launch_bounds__ promises 32"),
    ("plain", "misaligned", "multiple of 16 bytes"),
    ("plain", "misaligned_ldg", "multiple of 16 bytes"),
    ("plain", "stack", "needs more than 64 KiB of stack"),
    ("plain", "warp_if", "waits at this __shfl_xor_sync"),
    ("plain", "warp_masks", "warp divergence"),
    ("plain", "warp_self", "does not name it"),
    ("plain", "warp_gone", "first nan"),
    ("plain", "count_if", "barrier divergence"),
    ("plain", "shared_scratch", ", wrong"),
    ("plain", "dynamic_unwritten", "first nan"),
    ("plain", "dynamic_none", "an extern __shared__ array gets no memory"),
    ("plain", "whole_warps", "a GPU counts warps, and may let these pass"),
    ("plain", "one_returns", "all threads of a block must come to the same one\n"),
    ("plain", "far_past", "thread (0,0,0) of block (0,0,0) of far_past writes at"),
    ("plain", "by_zero", "of by_zero divides by 0"),
    ("plain", "just_past", "just_past, writes 4 bytes past the end of 128 bytes"),
    ("plain", "unwritten_index", "made of a number that nobody wrote (0x7fa5a5a5)"),
    ("thread", "shared_scratch", "data race"),
    ("thread", "sum", "data race"),
    ("thread", "mixed", "data race"),
    ("thread", "reads_the_sum", "data race"),
    ("thread", "compares_another", "data race"),
    ("thread", "store_beside_cas", "data race"),
    ("thread", "no_fence", "data race"),
    ("thread", "no_syncwarp", "data race"),
    ("thread", "after_shuffle", "data race"),
    ("thread", "other_warp", "data race"),
    ("thread", "dynamic_race", "data race"),
    ("thread", "unwritten_largest", "first 2.2"),
    ("thread", "misaligned", "multiple of 16 bytes"),
    ("thread", "far_past", "of far_past writes at"),
    ("address", "unwritten_sum", "is what memory holds here that nobody wrote"),
    ("address", "unwritten_largest", COMPUTES),
    ("address", "unwritten_twice", COMPUTES),
    ("address", "past_the_end", "AddressSanitizer"),
    ("address", "host_variable", "AddressSanitizer"),
    ("address", "dynamic_past", "AddressSanitizer"),
    ("address", "misaligned", "misaligned address"),
    ("address", "misaligned_ldg", "misaligned address"),
]
COPY = "asynchronous copy: "
WRONG_COPIES = [
    ("plain", "no_commit", "first nan"),
    ("plain", "size_of_12", COPY),
    ("plain", "too_many_zeros", COPY),
    ("plain", "to_global", COPY),
    ("plain", "from_shared", COPY),
    ("plain", "outside", COPY),
    ("plain", "misaligned", "multiple of 16 bytes"),
    ("plain", "source_changes", COPY),
    ("plain", "not_initialised", "nobody has initialised this barrier"),
    ("plain", "not_all_arrive", "wait at this barrier, to which 31 of 32 have come"),
    ("plain", "no_release", "wait at this barrier, to which 0 of 16 have come"),
    ("address", "not_consumed", COPY),
    ("thread", "after_release", "data race"),
    ("address", "no_wait", COPY),
    ("address", "nobody_arrives", COPY),
    ("address", "no_commit", COPY),
    ("address", "block_copy", COPY),
    ("address", "waits_for_less", COPY),
    ("address", "reads_outside", "AddressSanitizer"),
    ("address", "four_bytes", COPY),
    ("address", "four_bytes_overwritten", COPY),
    ("address", "four_bytes_alone", COMPUTES),
    ("thread", "no_wait", "data race"),
    ("thread", "block_copy", "data race"),
    ("thread", "waits_for_less", "data race"),
    ("thread", "no_barrier", "data race"),
    ("thread", "arrives_and_reads", "data race"),
    ("thread", "too_early", "data race"),
]
WRONG_TENSOR = [
    ("plain", "half_a_warp", "waits at this mma_sync"),
    ("plain", "lanes_gone", "takes all 32 lanes of the warp, and there are 31"),
    ("plain", "small_block", "takes all 32 lanes of the warp, and there are 16"),
    ("plain", "other_addresses", "give other addresses"),
    ("plain", "odd_ld", "must be a multiple of 4"),
    ("plain", "misaligned", "multiple of 32 bytes"),
    ("plain", "unwritten", "first nan"),
    ("plain", "past_c", "writes at"),
    ("address", "large_ld", "AddressSanitizer"),
    ("plain", "converted", "first nan"),
    ("address", "unwritten", COMPUTES),
    ("address", "converted", COMPUTES),
    ("thread", "no_syncwarp", "data race"),
]
WRONG_PTX = [
    ("plain", "unknown", "asm: bar.sync is not emulated: it needs nvcc and a GPU"),
    ("plain", "small_cg", COPY),
    ("plain", "not_shared", "none to shared memory"),
    ("plain", "odd_row", "multiple of 16 bytes"),
    ("address", "no_wait", COPY),
    ("thread", "no_barrier", "data race"),
]
WRONG_STREAMS = [
    ("plain", "right", "right"),
    ("plain", "no_event", "wrong"),
    ("plain", "no_synchronize", "wrong"),
    ("plain", "other_device", "points to memory of device 1"),
]
# Only the result tells, or what is wrong has no line.
UNPLACED = {
    "shared_scratch",
    "stack",
    "dynamic_none",
    "right",
    "no_event",
    "no_synchronize",
}
# clang does not check the address of a whole struct that is copied, and gives a trap of an addition
# no line.
UNSEEN = {
    ("clang++", "wrong", "misaligned"),
    ("clang++", "wrong", "unwritten_twice"),
    ("clang++", "wrong_copies", "four_bytes_alone"),
}
RIGHT = [
    "right",
    "right_copies",
    "right_tensor",
    "right_streams",
    "right_ptx",
    "right_language",
    "right_calls",
    "right_unwritten",
]


def is_built(compiler: str, file: str, sanitizer: str) -> bool:
    """clang++ with a sanitizer takes long, and sees the same in each of the newer files as in the
    first."""
    return compiler == "g++" or sanitizer == "plain" or "_" not in file


FILES = {
    "wrong": WRONG,
    "wrong_copies": WRONG_COPIES,
    "wrong_tensor": WRONG_TENSOR,
    "wrong_streams": WRONG_STREAMS,
    "wrong_ptx": WRONG_PTX,
}
CASES = [
    (compiler, file, *case)
    for compiler in COMPILERS
    for file, cases in FILES.items()
    for case in cases
    if (compiler, file, case[1]) not in UNSEEN and is_built(compiler, file, case[0])
]

Build = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """build("clang++", "right-thread"): right.cu with that sanitizer, once. The emulation is
    compiled without, as it finds out which one it is linked with."""
    top = tmp_path_factory.mktemp("emulation")

    def done(*command: str | Path) -> None:
        ended = run(command, TOP)
        assert ended.status == 0, ended.text

    def build(compiler: str, name: str) -> Path:
        needs(compiler)
        folder = top / compiler
        folder.mkdir(exist_ok=True)
        built = folder / name
        if built.exists():
            return built
        file, _, sanitizer = name.partition("-")
        flags, kernel = SANITIZERS[sanitizer], folder / f"{name}.kernel.o"
        strict = ["-std=c++17", *STRICT, "-c", "-o"]
        source = f"tests/emulation/{file}.cu"
        done("engine/cuda/compile", compiler, "-O1", *flags, *strict, kernel, source)
        objects = emulation(compiler, folder)
        done(compiler, "-pthread", *flags, "-o", built, kernel, *objects)
        return built

    return build


def start(program: Path, *arguments: str) -> Result:
    """ThreadSanitizer needs addresses that are not random on some kernels of Linux."""
    fixed = ["setarch", "-R"] if run("setarch -R true", TOP).status == 0 else []
    return run([*fixed, program, *arguments], TOP, env={"TSAN_OPTIONS": "halt_on_error=1"})


@pytest.mark.parametrize(
    ("compiler", "file", "sanitizer"),
    [
        (compiler, file, sanitizer)
        for compiler in COMPILERS
        for file in RIGHT
        for sanitizer in SANITIZERS
        if is_built(compiler, file, sanitizer)
    ],
)
def test_what_is_right_is_right(build: Build, compiler: str, file: str, sanitizer: str) -> None:
    ended = start(build(compiler, f"{file}-{sanitizer}"))
    assert ended.status == 0, ended.text
    assert ended.out.endswith(" right\n")


@pytest.mark.parametrize(
    ("compiler", "file", "sanitizer", "kernel", "words"),
    CASES,
    ids=["-".join(case[:4]) for case in CASES],
)
def test_what_is_wrong_is_found(
    build: Build, compiler: str, file: str, sanitizer: str, kernel: str, words: str
) -> None:
    ended = start(build(compiler, f"{file}-{sanitizer}"), kernel)
    lines = (TOP / f"tests/emulation/{file}.cu").read_text().splitlines()
    assert words in ended.text
    assert words == "data race" or "data race" not in ended.text
    if not words.startswith("first") and (sanitizer != "plain" or kernel not in UNPLACED):
        places = [str(n) for n, line in enumerate(lines, 1) if line.endswith(f"// {kernel}")]
        assert places
        assert all(re.search(rf"{file}\.cu:{place}\b", ended.text) for place in places), ended.text


def test_a_header_may_be_included_by_its_whole_path(tmp_path: Path) -> None:
    (tmp_path / "tile.h").write_text("__global__ void f(int *x) { __shared__ int t; *x = t; }\n")
    kernel = tmp_path / "kernel.cu"
    kernel.write_text(f'#include "{tmp_path}/tile.h"\nvoid g(int *x) {{ f<<<1, 1>>>(x); }}\n')
    flags: list[str | Path] = ["-std=c++17", "-fsyntax-only", "-c", "-o", tmp_path / "kernel.o"]
    ended = run(["engine/cuda/compile", "g++", *flags, kernel], TOP)
    assert ended.status == 0, ended.text


def test_a_launch_without_arguments_is_told_in_one_line(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cu"
    kernel.write_text("__global__ void f() {}\nvoid g() { f<<<1, 1>>>(), f<<<1, 1>>>; }\n")
    flags: list[str | Path] = ["-std=c++17", "-fsyntax-only", "-c", "-o", tmp_path / "kernel.o"]
    ended = run(["engine/cuda/compile", "g++", *flags, kernel], TOP)
    assert ended.status == 1
    assert re.fullmatch(r".*kernel\.cu:2:\d+: error: the kernel's arguments .*\n", ended.text)


def test_its_headers_are_found_by_way_of_a_link(tmp_path: Path) -> None:
    """In the copies of labs that make check and make race build, common/ is one."""
    (tmp_path / "common").symlink_to(TOP / "common")
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/kernel.cu").write_text(
        "#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n"
        "__global__ void sum(int *x)\n{\n    const auto block = cg::this_thread_block();\n"
        "    *x = cg::reduce(cg::tiled_partition<32>(block), *x, cg::plus<int>());\n}\n"
    )
    words = ["g++", "-std=c++17", "-c", "-o", "kernel.o", "kernel.cu"]
    ended = run(["../common/../engine/cuda/compile", *words], tmp_path / "lab")
    assert (ended.status, ended.text) == (0, "")


@pytest.mark.parametrize(
    "name", ["Übung", "練習", b"latin-\xfc".decode("utf-8", "surrogateescape")]
)
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    """A header's copy names the headers that it includes."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "size.h").write_text("#define SIZE 8\n")
    (folder / "tile.h").write_text(
        f'#include "size.h"\n__device__ int n; // {name}\n', "utf-8", "surrogateescape"
    )
    kernel = folder / "kernel.cu"
    kernel.write_text('#include "tile.h"\n__global__ void f(int *x) { *x = SIZE; }\n')
    flags: list[str | Path] = ["-std=c++17", "-fsyntax-only", "-c", "-o", tmp_path / "kernel.o"]
    ended = run(["engine/cuda/compile", "g++", *flags, kernel], TOP)
    assert ended.status == 0, ended.text
