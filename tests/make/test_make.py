# SPDX-License-Identifier: MIT
"""Every target does its work whatever flags make has: from another folder, with -w, -j2 and -B; and
with -n none does anything."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.copies import copy_to
from tests.support import TOP, make, run

LAB = "lab03_avx_block"
ENVIRONMENT = {"SIZE": "64", "SIZES": "64"}
TARGETS = re.findall(
    r"^([a-z]+):.*## ", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook of two labs, each with one program."""
    book = copy_to(tmp_path_factory.mktemp("pair"))
    for lab in book.glob("lab[0-9]*"):
        if lab.name not in ("lab01_cpu_naive", LAB):
            shutil.rmtree(lab)
    for variant in (book / LAB).glob("kernel_*"):
        variant.unlink()
    return book


def assert_does(folder: Path, words: list[str], pattern: str) -> None:
    said = run(["make", "-w", "-j2", "-B", "-C", folder, *words], Path("/"), env=ENVIRONMENT)
    assert said.status == 0, said.text
    assert re.search(pattern, said.text, re.MULTILINE), said.text
    assert "jobserver" not in said.text.lower()


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["all"], r"LD .*gemm"),
        (["run", "SIZE=64"], r"verified       PASS"),
        (["bench"], r"^  gemm  *[0-9.]+"),
        (["sweep", "SIZE=64", "SWEEP=BLOCK_KN=16"], r"BLOCK_KN=16  *[0-9.]+"),
        (["tune", "SIZE=64", "TUNE=ROWS=6,4"], r"^  2 settings tried: 2 right"),
        (["race"], r"^1 passed, 0 failed"),
        (["asm"], r"multiply-adds per iteration"),
        (["diff"], r"^\+#include <immintrin.h>"),
        (["check", "SIZE=64"], r"^1 passed, 0 failed"),
        (["describe"], r'"schema": "gemm-lab/1"'),
        (["help"], r"list these targets"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_in_a_lab(pair: Path, words: list[str], pattern: str) -> None:
    assert_does(pair / LAB, words, pattern)


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["all"], rf"^  {LAB} +gemm$"),
        (["demo"], rf"{LAB} .*PASS"),
        (["race"], r"^2 passed, 0 failed"),
        (["diff", f"B={LAB}"], r"^\+\+\+ lab03"),
        (["describe"], r'"lab": "lab01_cpu_naive"(.|\n)*"lab": "lab03_avx_block"'),
        (["help"], r"list these targets"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_at_the_top(pair: Path, words: list[str], pattern: str) -> None:
    assert_does(pair, words, pattern)


@pytest.mark.parametrize("target", TARGETS)
def test_n_does_nothing(pair: Path, target: str) -> None:
    before = sorted(pair.rglob("*"))
    run(["make", "-n", "-C", pair, target], pair)
    if target in (
        "all",
        "run",
        "check",
        "bench",
        "sweep",
        "tune",
        "race",
        "asm",
        "diff",
        "clean",
        "describe",
        "help",
    ):
        assert run(["make", "-n", "-C", pair / LAB, target], pair).status == 0
    assert sorted(pair.rglob("*")) == before


@pytest.mark.parametrize("name", ["copy (1)", "$(y", "", "x(1)", "--json", "a'b", "a b"])
def test_a_kernel_whose_name_would_end_in_the_shell_is_told(lab: Copy, name: str) -> None:
    folder = lab("lab01_cpu_naive")
    shutil.copy(folder / "kernel.c", folder / f"kernel_{name}.c")
    said = make(folder, "all")
    assert (said.status, said.out) == (2, "")
    assert re.search(
        r"kernel_\S*: a kernel is called kernel.c or kernel_NAME.c, .* rename it", said.err
    )
