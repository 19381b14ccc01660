# SPDX-License-Identifier: MIT
"""A lab whose kernel is gone or has another name makes nothing, and says which file looks like it.
What else is not as it was handed out is named before anything is blamed, and comes back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.copies import copy_with
from tests.support import TOP, edit, make
from workbook.lab.whole import no_kernel

LAB = "lab01_cpu_naive"
KERNEL = TOP / "answers/lab01_cpu_naive/kernel.c"


@pytest.mark.parametrize(
    "target", ["run", "all", "asm", "check", "bench", "race", "hint", "next", "sweep", "solution"]
)
def test_the_program_of_a_kernel_that_was_is_not_run(lab: Copy, target: str) -> None:
    folder = lab(LAB)
    assert make(folder, "gemm").status == 0
    (folder / "kernel.c").rename(folder / "Kernel.c")
    said = make(folder, target, "SIZE=16")
    assert said.status != 0
    assert "PASS" not in said.out
    assert "there is no kernel.c in" in " ".join(said.text.split())
    assert "mv Kernel.c kernel.c" in " ".join(said.text.split())


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("kernel.c.txt", True),
        ("kernel (1).c", True),
        ("kernel.cpp", True),
        (".kernel.c.swp", False),
        ("kernel_published.c", False),  # one of the lab's variants
        ("main.c", False),
    ],
)
def test_the_file_that_looks_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, found: bool
) -> None:
    monkeypatch.setenv("TYPED_IN", str(tmp_path))
    (tmp_path / "start").mkdir()
    (tmp_path / "start/kernel.c").touch()
    (tmp_path / "README.md").write_text("make run VARIANT=published")
    (tmp_path / name).touch()
    assert (f"but {name}: is it the kernel? mv " in no_kernel(tmp_path)) == found
    assert found or no_kernel(tmp_path).endswith("make restore, or make start, brings one back")


@pytest.fixture(scope="module")
def handout(objects: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    out = folder / "handout"
    clone = copy_with(objects, folder / "clone")
    assert make(clone, "handout", f"OUT={out}", "LABS=01").status == 0
    (out / LAB / "kernel.c").write_text(KERNEL.read_text())
    return out


@pytest.fixture
def book(handout: Path, tmp_path: Path) -> Path:
    return shutil.copytree(handout, tmp_path / "handout")


def test_another_main_is_named_before_its_figures_and_comes_back(book: Path) -> None:
    main = book / LAB / "main.c"
    before = main.read_text()
    assert "handed out" not in make(book / LAB, "run", "SIZE=16").text
    edit(main, "int main", "/* mine */ int main")
    says = "main.c is not the one handed out; make restore FILE=main.c brings it back"
    assert says in make(book / LAB, "run", "SIZE=16").err
    edit(main, "/* mine */", "#include <nothing.h>\n")
    assert "FAIL" in make(book, "check", "LAB=1", env={"SIZE": "64"}).out
    said = make(book / LAB, "check", "SIZE=64")
    assert says in " ".join(said.out.split())
    assert make(book / LAB, "restore", "FILE=main.c").status == 0
    assert main.read_text() == before
    assert "nothing.h" in (book / LAB / "mine/main.c").read_text()


@pytest.mark.parametrize("target", ["check", "hint", "next"])
def test_it_is_named_before_a_wrong_result_is_blamed(book: Path, target: str) -> None:
    edit(book / LAB / "main.c", "int main", "/* mine */ int main")
    edit(book / LAB / "kernel.c", "k < K", "k < K - 1")
    said = " ".join(make(book / LAB, target, "SIZE=64").out.split())
    assert 0 < said.index("main.c is not the one handed out") < said.index("the last k is missing")


def test_what_cannot_be_restored(lab: Copy, book: Path) -> None:
    assert "no copies of what was handed out" in make(lab(LAB), "restore", "FILE=main.c").err
    assert (
        "FILE=main.cu: there are Makefile, main.c, params.h"
        in make(book / LAB, "restore", "FILE=main.cu").err
    )


def test_a_host_program_that_is_gone_is_one_line(book: Path) -> None:
    (book / LAB / "main.c").unlink()
    said = make(book / LAB, "gemm")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "*** there is no main.c here: make restore FILE=main.c brings it back" in said.err
    assert make(book / LAB, "restore", "FILE=main.c").status == 0
    assert make(book / LAB, "gemm").status == 0
