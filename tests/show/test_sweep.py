# SPDX-License-Identifier: MIT
"""make sweep: every setting is tried in a copy of the lab, and the best is named."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.support import edit, make
from workbook.lab.program import FAIL, PASS, Result
from workbook.show.sweep import best

SPEED = """#ifndef SPEED
#define SPEED 1
#endif
#if SPEED < 1
#error SPEED must be 1 or more
#endif
#define TILE_K"""
# SPEED times the work; 7 is wrong, 8 crashes, 9 does not end.
KERNEL = """for (volatile int turn = 1; turn < SPEED && SPEED < 7; turn++)
                for (int k = 0; k < K; k++)
                    *(volatile real *)&C[i * N + j] = A[i * K + k] * B[k * N + j];
            if (SPEED == 8)
                *(volatile real *)(long)K = 1;
            for (volatile int turn = 9; turn == SPEED;) {}
            real sum = SPEED == 7;"""


@pytest.fixture(scope="module")
def swept(tree: Path) -> Path:
    """lab01 with a tunable, how often the work is done; built, so that its copies build little."""
    folder = tree / "swept_lab01_cpu_naive"
    shutil.copytree(tree / "lab01_cpu_naive", folder)
    edit(folder / "params.h", "#define TILE_K", SPEED)
    edit(folder / "kernel.c", "real sum = 0;", KERNEL)
    (folder / "kernel_other.c").write_bytes((folder / "kernel.c").read_bytes())
    settings = "SWEEP = SPEED=6 SPEED=1 SPEED=3\nSWEEP_other = SPEED=2\n"
    edit(folder / "Makefile", "include", f"{settings}include")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.slow
def test_every_setting_is_tried_and_the_best_is_named(swept: Path) -> None:
    before = names(swept)
    result = make(swept, "sweep", "SIZE=96")
    assert result.status == 0, result.text
    assert result.out.startswith("swept_lab01_cpu_naive gemm, N=96\n  setting ")
    rows = re.findall(r"^  (SPEED=\d) +([\d.]+) +([\d.]+) +\d+ %$", result.out, re.M)
    assert [setting for setting, _, _ in rows] == ["SPEED=6", "SPEED=1", "SPEED=3"]
    assert re.search(r"^best: (unknown|SPEED=\d, [\d.]+ GFLOP/s$)", result.out, re.M)
    assert names(swept) == before, "the lab's own folder was changed"
    assert not list((swept.parent / "build").glob("sweep.*"))


def timed(gflops: float, spread: float) -> Result:
    return Result("gemm", PASS, record={"gflops": gflops, "spread": spread})


FAILED = Result("gemm", FAIL, "wrong")
WIDE = "of {} settings have a spread over 20 %"


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([timed(5, 0.1), timed(7, 0.2)], "best: 1, 7 GFLOP/s"),
        (
            [timed(5, 0.1), timed(7, 0.21), FAILED],
            f"best: 0, 5 GFLOP/s\nnot compared: 1 {WIDE.format(2)}",
        ),
        (
            [timed(5, 0.3)],
            f"best: unknown, 1 {WIDE.format(1)}: run it again on a quiet\n  machine",
        ),
        ([FAILED], ""),
    ],
    ids=["the fastest", "not one with a wide spread", "all are wide", "none"],
)
def test_no_time_with_a_wide_spread_is_the_best(results: list[Result], said: str) -> None:
    assert best({str(n): one for n, one in enumerate(results)}, "GFLOP/s") == said


@pytest.mark.slow
def test_a_setting_that_fails_says_why_and_the_others_go_on(swept: Path) -> None:
    settings = "SWEEP=SPEED=0 SPEED=7 SPEED=8 SPEED=9 SPEED=1"
    result = make(swept, "sweep", "SIZE=32", "LIMIT=1", settings)
    assert result.status == 2  # make's
    text = " ".join(result.out.split())
    assert "SPEED=0 FAIL does not build: SPEED must be 1 or more" in text
    assert "SPEED=7 FAIL wrong at 32 x 32 x 32: every element is off by the same number" in text
    assert "SPEED=8 FAIL crashed with signal 11 at 32 x 32 x 32: kernel.c:" in text
    assert "SPEED=9 FAIL no result within 1 s at 32 x 32 x 32: a loop that does not end?" in text
    assert re.search(r"^best: (unknown|SPEED=1, )", result.out, re.M)
    assert max(map(len, result.out.splitlines())) <= 80
    alone = make(swept, "sweep", "SIZE=32", "SWEEP=SPEED=0")  # which may be on purpose
    assert alone.status == 0 and "best" not in alone.out


def test_a_variant_has_its_own_settings_of_several_tunables(swept: Path) -> None:
    result = make(swept, "sweep", "SIZE=32", "VARIANT=other")
    assert result.status == 0
    assert result.out.startswith("swept_lab01_cpu_naive gemm_other, N=32\n")
    assert re.findall(r"SPEED=\d", result.out) == ["SPEED=2", "SPEED=2"]
    result = make(swept, "sweep", "SIZE=32", "SWEEP=SPEED=2,CFLAGS=-O1")
    assert re.search(r"^  SPEED=2 CFLAGS=-O1 +[\d.]+", result.out, re.M)


def test_nothing_to_sweep(tree: Path) -> None:
    said = make(tree, "sweep", "LABS=01 02", "TYPE=int").out.splitlines()
    skipped = "lab02_avx skipped: the AVX labs are written for float, not int"
    assert said == ["lab01_cpu_naive: nothing to sweep", skipped]


def test_a_workbook_that_cannot_be_written(bare: Path) -> None:
    (bare / "build").mkdir()
    (bare / "build").chmod(0o500)
    if os.access(bare / "build", os.W_OK):
        (bare / "build").chmod(0o700)
        (bare / "build").rmdir()
        (bare / "build").write_text("")  # root may write anywhere
    result = make(bare / "lab03_avx_block", "sweep", "SIZE=16")
    assert result.status == 2 and result.err.startswith("sweep: ")
