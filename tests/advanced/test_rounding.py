# SPDX-License-Identifier: MIT
"""ROUNDING in a Makefile: A and B may be rounded so far, and no further. Nothing but a Makefile
says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.support import edit, gemm, lead_on, make

# Keeps so many bits of a float, to nearest.
ROUND = """
#include <stdint.h>
#include <string.h>
static float kept(float x, int bits)
{
    uint32_t word, half = 1u << (23 - bits);
    memcpy(&word, &x, sizeof x);
    word = (word + half) & ~(2 * half - 1);
    memcpy(&x, &word, sizeof x);
    return x;
}
"""
TF32, BF16 = 11, 8
SIZES = (["--check"], ["64"], ["600"])  # the battery; each element; Freivalds and four rows


def rounding(folder: Path, bits: int, allowed: bool = True) -> Path:
    """Lab 01, whose kernel rounds A and B to so many bits; allowed: its Makefile says TF32."""
    edit(folder / "kernel.c", '#include "params.h"', f'#include "params.h"\n{ROUND}')
    edit(
        folder / "kernel.c",
        "A[i * K + k] * B[k * N + j]",
        f"kept(A[i * K + k], {bits}) * kept(B[k * N + j], {bits})",
    )
    if allowed:
        lead_on(folder, "ROUNDING = TF32")
    built = make(folder, "gemm")
    assert built.status == 0, built.text
    return folder


def test_what_is_allowed_passes_and_is_told(lab: Copy) -> None:
    folder = rounding(lab("lab01_cpu_naive"), TF32)
    for words in SIZES:
        said, record = gemm(folder, *words)
        assert (record["verdict"], record["rounding"]) == ("pass", "TF32"), said.text
        assert "rounded to TF32" in said.out


def test_who_rounds_further_is_wrong(lab: Copy) -> None:
    folder = rounding(lab("lab01_cpu_naive"), BF16)
    for words in SIZES:
        assert gemm(folder, *words)[1]["verdict"] == "fail", words


@pytest.mark.parametrize("words", SIZES)
def test_even_where_whole_numbers_are_right(lab: Copy, words: list[str]) -> None:
    """Numbers that are not whole are off by four times as much as may be."""
    folder = rounding(lab("lab01_cpu_naive"), TF32)
    edit(folder / "kernel.c", "return x;", "return x == (int)x ? x : x * (1 + 0x1p-9f);")
    assert make(folder, "gemm").status == 0
    _, record = gemm(folder, *words)
    assert (record["verdict"], record["finding"]["data"]) == ("fail", "uniform")


def test_a_wrong_kernel_is_wrong_all_the_same(lab: Copy) -> None:
    folder = rounding(lab("lab01_cpu_naive"), TF32)
    edit(folder / "kernel.c", "k < K", "k < K - 1")
    assert make(folder, "gemm").status == 0
    for words in SIZES:
        assert gemm(folder, *words)[1]["verdict"] == "fail"


def test_no_other_lab_may_round(lab: Copy) -> None:
    folder = rounding(lab("lab01_cpu_naive"), TF32, allowed=False)
    for words in SIZES:
        _, record = gemm(folder, *words)
        assert (record["verdict"], record["rounding"]) == ("fail", None)


@pytest.mark.parametrize(
    ("words", "env"),
    [
        ([], {"ROUNDING": "TF32"}),
        (["-e"], {"ROUNDING": "TF32"}),
        (["ROUNDING=TF32"], {"MAKELEVEL": "1"}),
        (["CFLAGS=-O2 -DROUNDING=TF32 -Drounding=TF32"], {}),
    ],
)
def test_nothing_but_a_makefile_allows_it(lab: Copy, words: list[str], env: dict[str, str]) -> None:
    folder = rounding(lab("lab01_cpu_naive"), TF32, allowed=False)
    built = make(folder, "gemm", *words, env=env)
    assert built.status == 0, built.text
    assert gemm(folder, "64")[1]["verdict"] == "fail"


def test_on_the_command_line_it_is_refused(lab: Copy) -> None:
    said = make(lab("lab01_cpu_naive"), "run", "ROUNDING=TF32")
    assert said.status == 2
    assert "ROUNDING=TF32: no such setting here" in said.err


def test_an_unknown_one_does_not_build(lab: Copy) -> None:
    folder = lab("lab01_cpu_naive")
    lead_on(folder, "ROUNDING = HALF")
    assert make(folder, "gemm").status == 2
