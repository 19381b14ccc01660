# SPDX-License-Identifier: MIT
"""What engine/cuda knows of CUDA: right*.cu are right with every sanitizer, and each kernel of
wrong*.cu is found, in the line whose mark names it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
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
# What a mark in wrong*.cu means: the build that finds the mistake, and a part of what it says.
# "nowhere" is the plain build, if the mistake has no line.
SHORT = {
    "RACE": ("thread", "data race"),
    "BOUNDS": ("address", "AddressSanitizer"),
    "UNWRITTEN": ("address", " computes with memory that nobody wrote"),
    "COPY": ("plain", "asynchronous copy: "),
    "address COPY": ("address", "asynchronous copy: "),
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
    return compiler == "g++" or sanitizer in ("plain", "nowhere") or "_" not in file


def cases() -> Iterator[tuple[str, str, str, str, str]]:
    """Compiler, file, build, kernel, words: from the marks."""
    for path in sorted(TOP.glob("tests/emulation/wrong*.cu")):
        marks = re.findall(r"// (\w+): (.*)$", path.read_text(), re.MULTILINE)
        for (kernel, said), compiler in product(marks, COMPILERS):
            for mark in said.split("; "):
                build, words = SHORT.get(mark, mark.split(" ", 1))
                unseen = (compiler, path.stem, kernel) in UNSEEN
                if is_built(compiler, path.stem, build) and not unseen:
                    yield compiler, path.stem, build, kernel, words


CASES = list(cases())
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
    name = {"nowhere": "plain", "nowhere-thread": "thread"}.get(sanitizer, sanitizer)
    ended = start(build(compiler, f"{file}-{name}"), kernel)
    lines = (TOP / f"tests/emulation/{file}.cu").read_text().splitlines()
    assert words in ended.text
    assert words == "data race" or "data race" not in ended.text
    if not sanitizer.startswith("nowhere"):
        mark = re.compile(rf"// {kernel}(: .*)?$")
        places = [n for n, line in enumerate(lines, 1) if mark.search(line) and line[0] != "/"]
        assert places
        assert all(re.search(rf"{file}\.cu:{place}\b", ended.text) for place in places), ended.text


def checked(kernel: Path) -> Result:
    words: list[str | Path] = ["-std=c++17", "-fsyntax-only", "-c", "-o", kernel.with_suffix(".o")]
    return run(["engine/cuda/compile", "g++", *words, kernel], TOP)


def test_a_launch_without_arguments_is_told_in_one_line(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cu"
    kernel.write_text("__global__ void f() {}\nvoid g() { f<<<1, 1>>>(), f<<<1, 1>>>; }\n")
    ended = checked(kernel)
    assert ended.status == 1
    assert re.fullmatch(r".*kernel\.cu:2:\d+: error: the kernel's arguments .*\n", ended.text)


def test_its_headers_are_found_by_way_of_a_link(tmp_path: Path) -> None:
    """In the copies of labs that make check and make race build, make/ is one."""
    (tmp_path / "make").symlink_to(TOP / "make")
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/kernel.cu").write_text(
        "#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n"
        "__global__ void sum(int *x)\n{\n    const auto block = cg::this_thread_block();\n"
        "    *x = cg::reduce(cg::tiled_partition<32>(block), *x, cg::plus<int>());\n}\n"
    )
    words = ["g++", "-std=c++17", "-c", "-o", "kernel.o", "kernel.cu"]
    ended = run(["../make/../engine/cuda/compile", *words], tmp_path / "lab")
    assert (ended.status, ended.text) == (0, "")


@pytest.mark.parametrize("name", ["練習", b"latin-\xfc".decode("utf-8", "surrogateescape")])
@pytest.mark.parametrize("whole", [False, True])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str, whole: bool) -> None:
    """A header's copy names the headers that it includes."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "size.h").write_text("#define SIZE 8\n")
    header = f'#include "size.h"\n__device__ int n; // {name}\n'
    (folder / "tile.h").write_text(header, "utf-8", "surrogateescape")
    kernel = folder / "kernel.cu"
    path = folder / "tile.h" if whole else "tile.h"
    kernel.write_text(
        f'#include "{path}"\n__global__ void f(int *x) {{ *x = SIZE; }}\n',
        "utf-8",
        "surrogateescape",
    )
    ended = checked(kernel)
    assert ended.status == 0, ended.text
