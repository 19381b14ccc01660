# SPDX-License-Identifier: MIT
"""A lab whose kernel is gone or has another name makes nothing, and says which file looks like it. What else
is not as it was handed out is named before anything is blamed, and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.support import TOP, edit, make
from workbook.whole import no_kernel

LAB = "lab01_cpu_naive"
KERNEL = TOP / "answers/lab01_cpu_naive/kernel.c"


@pytest.mark.parametrize("target", ["run", "all", "asm", "check", "bench", "race", "hint", "next"])
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
        ("my_kernel.c", True),
        ("kernel_mine.c", True),
        ("kernel.cpp", True),
        (".kernel.c.swp", False),
        ("notes.txt", False),
        ("kernel_chapter.c", False),  # one of the lab's variants
        ("main.c", False),
    ],
)
def test_the_file_that_looks_like_it(tmp_path: Path, name: str, found: bool) -> None:
    (tmp_path / "start").mkdir()
    (tmp_path / "start/kernel.c").touch()
    (tmp_path / "README.md").write_text("make run VARIANT=chapter")
    (tmp_path / name).touch()
    assert (f"but {name}: is it the kernel? mv " in no_kernel(tmp_path)) == found
    assert found or no_kernel(tmp_path).endswith("make restore, or make start, brings one back")


@pytest.fixture
def book(clone: Path, tmp_path: Path) -> Path:
    out = tmp_path / "handout"
    assert make(clone, "handout", f"OUT={out}", "LABS=01").status == 0
    (out / LAB / "kernel.c").write_text(KERNEL.read_text())
    return out


def test_another_main_is_named_before_its_figures_and_comes_back(book: Path) -> None:
    main = book / LAB / "main.c"
    before = main.read_text()
    assert "handed out" not in make(book / LAB, "run", "SIZE=16").text
    edit(main, "int main", "/* mine */ int main")
    says = "main.c is not the one handed out; make restore FILE=main.c brings it back"
    assert says in make(book / LAB, "run", "SIZE=16").err
    edit(main, "/* mine */", "#include <nothing.h>\n")
    assert "FAIL" in make(book, "check", "LAB=1").out
    said = make(book / LAB, "check")
    assert says in " ".join(said.out.split())
    assert make(book / LAB, "restore", "FILE=main.c").status == 0
    assert main.read_text() == before
    assert "nothing.h" in (book / LAB / "mine/main.c").read_text()


def test_a_makefile_that_is_broken_comes_back_from_the_top(book: Path) -> None:
    makefile = book / LAB / "Makefile"
    before = makefile.read_text()
    makefile.write_text("nonsense\n")
    assert make(book, "restore", "LAB=1", "FILE=Makefile").status == 0
    assert makefile.read_text() == before


def test_params_are_named_where_something_fails(book: Path) -> None:
    (book / LAB / "params.h").write_text((book / LAB / "params.h").read_text() + "// mine\n")
    says = "params.h is not the one handed out"
    assert says not in make(book / LAB, "run", "SIZE=16").text
    edit(book / LAB / "kernel.c", "sum = 0", "sum = 1")
    assert says in make(book / LAB, "run", "SIZE=16").err


def test_what_cannot_be_restored(lab: Copy, book: Path) -> None:
    assert "no copies of what was handed out" in make(lab(LAB), "restore", "FILE=main.c").err
    assert (
        "FILE=main.cu: there are Makefile, main.c, params.h"
        in make(book / LAB, "restore", "FILE=main.cu").err
    )


def test_the_name_of_before_is_told(clone: Path) -> None:
    (clone / LAB / "mine").mkdir()
    for folder in clone, clone / LAB:
        said = make(folder, "mine")
        assert (said.status, said.out) == (2, "")
        assert "make mine is now called make restore" in said.err


def test_a_host_program_that_is_gone_is_one_line(book: Path) -> None:
    (book / LAB / "main.c").unlink()
    said = make(book / LAB, "gemm")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "*** there is no main.c here: make restore FILE=main.c brings it back" in said.err
    assert make(book / LAB, "restore", "FILE=main.c").status == 0
    assert make(book / LAB, "gemm").status == 0
