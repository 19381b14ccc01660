# SPDX-License-Identifier: MIT
"""make builds what is needed and no more, in any folder, and clean removes it all."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.copies import copy_to, workshop
from tests.support import gemm, make, run


def says(folder: Path, *words: str) -> str:
    """What make has to do, in its own words."""
    ended = run(["make", "--no-print-directory", *words], folder)
    assert ended.status == 0, ended.text
    return ended.text


@pytest.mark.parametrize(
    ("lab", "program", "file", "setting"),
    [
        ("lab01_cpu_naive", "gemm", "kernel.c", "TYPE=int"),
        ("lab03_avx_block", "gemm_chapter", "kernel_chapter.c", "BLOCK=64"),
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


def test_cflags_are_those_of_the_kernel_alone(tree: Path) -> None:
    said = says(workshop(tree, "lab03_avx_block"), "V=1", "CFLAGS=-O2 -DCANARY", "gemm")
    reached = {line.split()[-1] for line in said.splitlines() if "-DCANARY" in line}
    assert reached == {"kernel.c", "../common/../common/session/instructions.c"}


def test_another_tunable_builds_no_verification(tree: Path) -> None:
    folder = workshop(tree, "lab03_avx_block")
    says(folder, "gemm")
    said = says(folder, "gemm", "BLOCK=128")
    built = set(re.findall(r"build/(\w+)\.o", said))
    assert "kernel" in built
    assert "config" in built  # it names the settings
    assert built <= {"kernel", "main", "config", "instructions"}


def test_another_header_of_common_builds_all_of_it(tree: Path) -> None:
    """Also what make wrote: an object that is older than its struct would be read wrongly."""
    folder = workshop(tree, "lab03_avx_block")
    says(folder, "gemm")
    (tree / "common/session/config.h").touch()
    built = set(re.findall(r"build/(\w+)\.o", says(folder, "gemm")))
    assert {"config", "lab", "main", "record", "report"} <= built


@pytest.mark.parametrize("folder", [".", "lab01_cpu_naive"])
def test_help_lists_every_target(tree: Path, folder: str) -> None:
    """All that make knows as a target that is no file, but for the old name of one."""
    known = run(["make", "-npq", "help"], tree / folder).out
    targets = re.search(r"^\.PHONY: (.*)", known, re.MULTILINE)
    assert targets is not None
    said = make(tree / folder, "help").out.splitlines()
    names = {name for name in targets[1].split() if name.isalpha() and name.islower()}
    assert {line.split()[0] for line in said} == names - {"mine"}
    assert max(map(len, said)) <= 80


def test_a_lab_has_a_rule_for_every_target(tree: Path) -> None:
    said = make(tree / "lab01_cpu_naive", "help").out
    for line in said.splitlines():
        assert run(["make", "-n", line.split()[0]], tree / "lab01_cpu_naive").out != "", line


LABS = ["lab01_cpu_naive", "lab04_ocl_naive"]


@pytest.fixture(scope="module")
def spaced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in a folder with a space in its name, two labs of it built."""
    top = copy_to(tmp_path_factory.mktemp("own") / "a folder")
    run("git init -q && git add .", top)
    for lab in LABS:
        assert make(top / lab, "gemm").status == 0
    (top / "build").mkdir()
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
    assert run("git ls-files --others --deleted", copy).out == ""
