# SPDX-License-Identifier: MIT
"""make builds what is needed and no more, in any folder, and clean removes it all."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.copies import copy_to, workshop
from tests.support import edit, environment, gemm, make, run


def says(folder: Path, *words: str) -> str:
    """What make has to do, in its own words."""
    ended = run(["make", "--no-print-directory", *words], folder)
    assert ended.status == 0, ended.text
    return ended.text


@pytest.mark.parametrize(
    ("lab", "program", "file", "setting"),
    [
        ("lab01_cpu_naive", "gemm", "kernel.c", "TYPE=int"),
        ("lab03_avx_block", "gemm_published", "kernel_published.c", "BLOCK_KN=64"),
        ("lab04_ocl_naive", "gemm", "params.h", "GROUP_X=8"),
        ("lab09_cuda_shared", "gemm", "kernel.cu", "BLOCK=16"),
    ],
)
def test_what_has_changed_is_built_again_and_nothing_else(
    tree: Path, lab: str, program: str, file: str, setting: str
) -> None:
    folder = workshop(tree, lab)
    says(folder, program)
    assert says(folder, program) == ""
    (folder / file).touch()
    assert says(folder, program) != ""
    assert says(folder, program) == ""
    assert says(folder, program, setting) != ""
    assert says(folder, program, setting) == ""
    says(folder, program)


def objects(book: Path) -> dict[str, set[str]]:
    """Of each set of flags, what is compiled for all labs."""
    found: dict[str, set[str]] = {}
    for path in (book / "build").glob("*/*/*"):
        found.setdefault(path.parent.name, set()).add(path.name)
    return found


OF_ALL = re.compile(r"(?:common|session|guest|diagnosis)/\w+\.c")


@pytest.mark.slow
def test_what_labs_have_in_common_is_compiled_once_for_each_set_of_flags(tmp_path: Path) -> None:
    book = copy_to(tmp_path / "a book")
    assert "common/lab.c" in says(book / "lab01_cpu_naive", "gemm")
    said = says(book / "lab03_avx_block", "gemm")
    assert not OF_ALL.search(said)
    assert len(OF_ALL.findall(says(book / "lab04_ocl_naive", "gemm"))) == 5  # those of OpenCL
    (one,) = objects(book).values()
    for setting in "TYPE=double", "CC=gcc", "GUARD_BYTES=0":
        sets = len(objects(book))
        assert "common/lab.c" in says(book / "lab01_cpu_naive", "gemm", setting)
        assert len(objects(book)) == sets + 1
        assert run(["./gemm", "16"], book / "lab01_cpu_naive").status == 0
    assert not OF_ALL.search(says(book / "lab01_cpu_naive", "gemm", "SAN=undefined"))
    assert not OF_ALL.search(says(book / "lab01_cpu_naive", "gemm"))
    (book / "common/lab.c").touch()
    assert OF_ALL.findall(says(book / "lab01_cpu_naive", "gemm")) == ["common/lab.c"]
    assert all(name.endswith(".o") for names in objects(book).values() for name in names)
    assert "lab.o" in one


def test_labs_that_are_built_at_the_same_time_share_whole_objects(tmp_path: Path) -> None:
    """As in two terminals, where neither make knows of the other."""
    book = copy_to(tmp_path / "book")
    labs = [book / name for name in ("lab01_cpu_naive", "lab02_avx", "advanced/lab10_avx_pack")]
    command = ["make", "-s", "-j2", "gemm"]
    makes = [subprocess.Popen(command, cwd=lab, env=environment()) for lab in labs]
    assert [process.wait() for process in makes] == [0, 0, 0]
    assert [run(["./gemm", "16"], lab).status for lab in labs] == [0, 0, 0]
    assert len(objects(book)) == 1


def test_make_at_the_top_says_a_line_for_each_lab_and_what_to_do_next(tmp_path: Path) -> None:
    book = copy_to(tmp_path / "book")
    for lab in book.glob("lab0[3-8]*"):
        shutil.rmtree(lab)
    said = make(book)
    assert (said.status, said.err) == (0, "")
    assert sorted(said.out.splitlines()[:-1]) == [
        "  lab01_cpu_naive      gemm gemm_row_column",
        "  lab02_avx            gemm",
        "  lab09_cuda_shared    gemm_no_prefetch gemm",
    ]
    assert said.out.splitlines()[-1] == "next: make start LAB=01"
    assert make(book, "LAB=02", "TYPE=int").out.splitlines() == [
        "  lab02_avx            skipped: the AVX labs are written for float, not int",
        "next: make start LAB=02",
    ]
    edit(book / "lab01_cpu_naive/kernel.c", "real sum = 0;", "real sum = zero + nil;")
    said = make(book)
    assert said.status == 2
    assert "next:" not in said.out
    assert "lab02_avx " in said.out
    assert said.err.count(": error: ") == 2
    assert "-c -o build/kernel.o kernel.c" in run(["make", "V=1"], book).out
    make(book, "start", "LAB=01")
    assert make(book).out.splitlines()[-1] == "next: make progress"


def test_another_tunable_builds_no_verification(tree: Path) -> None:
    folder = workshop(tree, "lab03_avx_block")
    says(folder, "gemm")
    said = says(folder, "gemm", "BLOCK_KN=128")
    built = set(re.findall(r"build/(\w+)\.o", said))
    assert "kernel" in built
    assert "config" in built  # it names the settings
    assert built <= {"kernel", "main", "config", "instructions"}


@pytest.mark.parametrize("folder", [".", "lab01_cpu_naive"])
def test_help_lists_every_target(tree: Path, folder: str) -> None:
    """All that make knows as a target that is no file, but for the old name of one."""
    known = run(["make", "-npq", "help"], tree / folder).out
    targets = re.search(r"^\.PHONY: (.*)", known, re.MULTILINE)
    assert targets is not None
    said = make(tree / folder, "help").out.splitlines()
    names = {name for name in targets[1].split() if name.isalpha() and name.islower()}
    assert {line.split()[0] for line in said} == names - {"mine", "built"}
    assert max(map(len, said)) <= 80


LABS = ["lab01_cpu_naive", "lab04_ocl_naive"]


@pytest.fixture(scope="module")
def spaced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in a folder with a space in its name, two labs of it built."""
    top = copy_to(tmp_path_factory.mktemp("own") / "a folder")
    run("git init -q && git add .", top)
    for lab in LABS:
        assert make(top / lab, "gemm").status == 0
    (top / "build").mkdir(exist_ok=True)
    (top / "build/ceilings.tsv").touch()
    return top


@pytest.mark.parametrize("lab", LABS)
def test_a_folder_with_a_space_in_its_name_will_do(spaced: Path, lab: str) -> None:
    ended, record = gemm(spaced / lab, "64", "--reps", "1")
    assert (record["verdict"], record["lab"]) == ("pass", lab)
    assert ended.out.startswith(f"{lab} ")


def test_git_ignores_what_is_built(spaced: Path) -> None:
    assert run("git ls-files --others", spaced).out != ""
    assert run("git ls-files --others --exclude-standard", spaced).out == ""


def test_clean_removes_all_that_was_built(spaced: Path, tmp_path: Path) -> None:
    copy = tmp_path / "a copy"
    shutil.copytree(spaced, copy)
    assert make(copy, "clean").status == 0
    left = run("git ls-files --others --deleted --exclude=__pycache__", copy)
    assert left.out == ""  # but Python's own


def test_cflags_are_those_of_the_kernel_alone(tree: Path) -> None:
    said = says(workshop(tree, "lab03_avx_block"), "V=1", "CFLAGS=-O2 -DCANARY", "gemm")
    reached = set(re.findall(r"-DCANARY.* -c -o \S+ (\S+)", said))
    assert reached == {"kernel.c", "../make/../session/instructions.c"}


def test_another_header_of_common_builds_all_of_it(tree: Path) -> None:
    """Also what make wrote: an object that is older than its struct would be read wrongly."""
    folder = workshop(tree, "lab03_avx_block")
    says(folder, "gemm")
    (tree / "session/config.h").touch()
    built = set(re.findall(r"(?:build|common|session)(?:/\w+)?/(\w+)\.[oc]", says(folder, "gemm")))
    assert {"config", "lab", "main", "record", "report"} <= built
