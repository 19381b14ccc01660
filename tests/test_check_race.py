# SPDX-License-Identifier: MIT
"""The race run that make check owes: a right result is not enough where a barrier is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.grading import CPU, SUM, Submit, book, check, submit
from tests.support import TOP, make, needs, run

__all__ = ["book", "submit"]  # fixtures
OPENCL, CUDA = "lab07_ocl_localmem", "lab09_cuda_shared"
BARRIER = r".*(?:barrier\(|__syncthreads).*\n"


@pytest.fixture
def kernel_alone(book: Path) -> Iterator[None]:
    """Without the variants of lab 07, which take their time."""
    variants = {path: path.read_text() for path in (book / OPENCL).glob("kernel_*.cl")}
    for path in variants:
        path.unlink()
    yield
    for path, text in variants.items():
        path.write_text(text)


def without_barrier(text: str, which: str) -> str:
    if which == "each":
        return re.sub(BARRIER, "", text)
    places = list(re.finditer(BARRIER, text))
    gone = places[0 if which == "first" else 1]
    return text[: gone.start()] + text[gone.end() :]


@pytest.mark.slow
@pytest.mark.parametrize("which", ["first", "second", "each"])
@pytest.mark.parametrize(
    ("lab", "kernel", "points"), [(OPENCL, "kernel.cl", 10), (CUDA, "kernel.cu", 7)], ids=["opencl", "cuda"]
)
def test_a_missing_barrier(
    book: Path, submit: Submit, kernel_alone: None, lab: str, kernel: str, points: int, which: str
) -> None:
    if kernel == "kernel.cl":
        needs("oclgrind")
    text = (TOP / lab / kernel).read_text()
    submit(text, without_barrier(text, which), f"{lab}/{kernel}", includes="")
    check(book, lab).assert_says(1, f"FAIL 0/{points}", "data race")


@pytest.mark.slow
def test_a_race_run_that_cannot_be_is_told(book: Path, kernel_alone: None, tmp_path: Path) -> None:
    for folder in "/bin", "/usr/bin", "/usr/local/bin":
        for program in Path(folder).iterdir():
            if program.name != "oclgrind" and not (tmp_path / program.name).is_symlink():
                (tmp_path / program.name).symlink_to(program)
    said = check(book, OPENCL, PATH=str(tmp_path))
    said.assert_says(0, "race not run: oclgrind is not installed", "PASS 10/10")


@pytest.mark.parametrize(
    ("script", "status", "says"),
    [
        ("", 1, "nothing is said of gemm"),
        (r"SKIP\t-\tTSan\t\n", 1, "skipped without a reason"),
        (r"SKIP\t-\tTSan\tno TSan here\n", 0, "race not run: no TSan here"),
        (r"PASS\tgemm_other\tTSan\t\n", 1, "nothing is said of gemm"),
        (None, 1, "ended with status 3"),
    ],
    ids=["silent", "skip-without-a-reason", "skip-with-a-reason", "another-program", "breaks"],
)
def test_what_a_race_run_must_say(book: Path, script: str | None, status: int, says: str) -> None:
    race = book / "tools/race/lab"
    race.write_text(
        "#!/bin/sh\nexit 3\n"
        if script is None
        else f'#!/bin/sh\nprintf "{script}" >"$1/$(basename "$2").tsv"\n'
    )
    check(book, CUDA).assert_says(status, says)
    race.write_bytes((TOP / "tools/race/lab").read_bytes())


def test_a_race_run_without_a_kernel(book: Path, submit: Submit) -> None:
    submit(SUM, SUM)
    (book / CPU / "kernel.c").unlink()
    said = run(["tools/race/run", CPU], book)
    assert said.status == 1
    assert "there is no kernel.c" in said.text


def test_a_race_run_of_a_program_without_a_verdict(book: Path, submit: Submit) -> None:
    submit(SUM, f"_exit(0); {SUM}")
    said = make(book / CPU, "race")
    assert said.status == 2
    assert "ends with status 0" in said.text
