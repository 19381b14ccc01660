# SPDX-License-Identifier: MIT
"""make baseline: a library that is wrong has no share, one that is missing says what brings it. The
libraries are fakes, compiled here; none need be installed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Copy
from tests.schemas import complaints
from tests.support import TOP, Result, edit, gemm, lead_on, make, run
from workbook.lab.labs import Lab, Program
from workbook.lab.program import FAIL, PASS
from workbook.lab.program import Result as Run
from workbook.libraries.shares import Entry, as_record
from workbook.libraries.table import table

# Right, unless HOW says otherwise. Its version is the number of threads that it was told.
FAKE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int is(const char *how)
{
    const char *said = getenv("HOW");
    return said && strcmp(said, how) == 0;
}
const char *openblas_get_corename(void)
{
    return is("other core") ? "Prescott" : getenv("OPENBLAS_CORETYPE");
}
const char *openblas_get_config(void)
{
    static char text[64];
    snprintf(text, sizeof text, "OpenBLAS 9.%s NO_LAPACK", getenv("OPENBLAS_NUM_THREADS"));
    return text;
}
void cblas_sgemm(int order, int ta, int tb, int M, int N, int K, float alpha, const float *A,
                 int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
    if (order != 101 || ta != 111 || tb != 111 || alpha != 1 || beta != 0 || is("exits"))
        exit(0);
    if (is("crashes"))
        abort();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = is("nan") ? 0.0f / 0.0f : is("wrong") && j == 0;
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = sum;
        }
}
"""
LIBRARIES = sorted(path.parent.name for path in TOP.glob("baseline/*/Makefile"))
NAMES = ("OPENBLAS", "BLIS", "MKL", "SCALAPACK", "CLBLAST", "CUBLAS")
NONE = {f"{name}_LIBRARY": "/nowhere/lib.so" for name in NAMES}


@pytest.fixture(scope="module")
def fake(tree: Path) -> dict[str, str]:
    """The environment in which the fake is OpenBLAS, and there is no other library."""
    (tree / "fake.c").write_text(FAKE, encoding="utf-8")
    assert run("cc -shared -fPIC -O1 -o libfake.so fake.c", tree).status == 0
    return {**NONE, "OPENBLAS_LIBRARY": str(tree / "libfake.so")}


@pytest.fixture
def openblas(tree: Path, fake: dict[str, str]) -> Path:
    folder = tree / "baseline/openblas"
    assert make(folder, "gemm", env=fake).status == 0
    said, _ = gemm(folder, "16", "--once", env=fake)
    if said.status == 77:
        pytest.skip("AVX2 is not installed")
    return folder


def baseline(
    tree: Path, *folders: Path, env: dict[str, str], **settings: str
) -> tuple[Result, Any]:
    """How it ended, and the record, if it wrote one."""
    record = tree / "build/baseline.json"
    record.unlink(missing_ok=True)
    command: list[str | Path] = [sys.executable, "-m", "workbook", "baseline", *folders]
    said = run(command, tree, env={"SIZES": "16 48", **env, **settings})
    return said, json.loads(record.read_text()) if record.exists() else None


# ---- through the same verification -------------------------------------------------------------
def test_a_library_is_verified_and_says_which_it_is(openblas: Path, fake: dict[str, str]) -> None:
    said, record = gemm(openblas, "48", "40", "52", env=fake)
    assert said.status == 0, said.text
    assert (record["verdict"], record["lab"], record["library"]) == (
        "pass",
        "openblas",
        "OpenBLAS 9.1, Haswell",
    )
    assert (record["instructions"], record["rounding"]) == ("avx2", None)
    assert "library        OpenBLAS 9.1, Haswell" in said.out


def test_kernels_that_it_lacks_are_a_skip(openblas: Path, fake: dict[str, str]) -> None:
    said, record = gemm(openblas, "16", env={**fake, "HOW": "other core"})
    assert (said.status, record["verdict"]) == (77, "skip")
    assert (
        record["reason"] == "skipped: this OpenBLAS has no kernels for Haswell: it chose Prescott"
    )


@pytest.mark.parametrize("how", ["wrong", "nan", "crashes", "exits"])
def test_a_wrong_library_has_no_share(
    openblas: Path, tree: Path, broken: Copy, fake: dict[str, str], how: str
) -> None:
    said, record = baseline(tree, broken("right"), openblas, env=fake, HOW=how)
    assert said.status == 1
    assert complaints(record, "gemm-baseline") == []
    lab, *libraries = record["programs"]
    assert [size["share"] for size in lab["sizes"]] == [None, None]
    assert {one["verdict"] for one in libraries} <= {"FAIL", "SKIP"}
    assert libraries[0]["verdict"] == "FAIL"
    assert re.search(r"^openblas .*FAIL", said.out, re.M)
    assert "%" not in "".join(line for line in said.out.splitlines() if line.startswith("openblas"))


# ---- the comparison ----------------------------------------------------------------------------
def test_shares_and_their_record(
    openblas: Path, tree: Path, broken: Copy, fake: dict[str, str]
) -> None:
    said, record = baseline(tree, broken("right"), openblas, tree / "baseline/mkl", env=fake)
    assert said.status == 0, said.text
    assert complaints(record, "gemm-baseline") == []
    lab, library, *_ = record["programs"]
    assert (lab["is_library"], library["is_library"]) == (False, True)
    assert [size["N"] for size in lab["sizes"]] == [16, 48]
    for size in lab["sizes"]:
        assert size["share"] > 0
        assert size["of"].startswith("openblas")
        assert len(size["rounds"]) == 5
    assert [one["name"] for one in record["missing"]] == ["mkl"]
    assert "not here: mkl: no /nowhere/lib.so here: python3 -m venv .venv-mkl" in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_a_lab_with_threads_has_as_many(
    openblas: Path, tree: Path, lab: Copy, fake: dict[str, str]
) -> None:
    """It is right with two threads, and wrong with any other number of them."""
    folder = lab("lab01_cpu_naive")
    lead_on(folder, "OPENMP = 1")
    edit(folder / "kernel.c", '#include "params.h"', '#include "params.h"\n#include <omp.h>')
    edit(folder / "kernel.c", "real sum = 0;", "real sum = omp_get_max_threads() == 2 ? 0 : 1;")
    said, record = baseline(tree, folder, openblas, env=fake, MAKEFLAGS=" -- THREADS=2")
    assert said.status == 0, said.text
    assert record["programs"][0]["verdict"] == "PASS"
    assert baseline(tree, folder, openblas, env=fake)[0].status == 1


def test_without_a_library_it_says_what_to_do(tree: Path, broken: Copy) -> None:
    folders = [tree / "baseline" / name for name in ("openblas", "blis", "mkl", "clblast")]
    said, record = baseline(tree, broken("right"), *folders, env=NONE)
    assert (said.status, record) == (2, None)
    assert said.err.endswith(
        "nothing was compared, for these reasons; ./setup baseline installs libraries\n"
    )
    assert (
        "not here: openblas: no /nowhere/lib.so here: apt install libopenblas0-pthread" in said.out
    )


@pytest.mark.parametrize(
    ("name", "words", "brings"),
    [
        ("openblas", [], "no /nowhere/lib.so here: apt install libopenblas0-pthread"),
        ("clblast", ["VARIANT=tuned"], "no /nowhere/lib.so here: apt install libclblast1"),
        ("openblas", ["TYPE=int"], "openblas has no product of int"),
    ],
)
def test_what_is_missing_is_a_skip_that_says_what_brings_it(
    clone: Path, name: str, words: list[str], brings: str
) -> None:
    said = make(clone / "baseline" / name, "run", "SIZE=16", *words, env=NONE)
    assert said.status == 0
    assert f"gemm: skipped: {brings}" in said.text or brings in said.text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("THREADS=x", "baseline: THREADS=x: give 1 to 999, or 0"),
        ("SIZES=x", "baseline: SIZES: x is no size"),
        (
            "SIZES=8x8",
            "baseline: SIZES: 8x8 is no size: give 1024, 2^10, or M, N and K as 1000x20x3",
        ),
        ("SIZE=64", "baseline: SIZE: it goes through several: SIZES='512 2048'"),
        ("THREAD=2", "the nearest is THREADS"),
    ],
)
def test_bad_input(clone: Path, words: str, says: str) -> None:
    said = make(clone, "baseline", words, "LAB=1", env=NONE)
    assert (said.status, said.out) == (2, "")
    assert says in said.err
    assert not list(clone.glob("lab*/build"))


# ---- from rounds to shares ---------------------------------------------------------------------
def entry(
    name: str, rounds: list[float], instructions: str | None = "avx2", verdict: str = PASS
) -> Entry:
    where = TOP / name if name.startswith("lab") else TOP / "baseline" / name
    program = Program("gemm", "", None, (), "kernel.c", None, ())
    lab = Lab(where, name, "cpu", False, None, "float", "1024", (program,), frozenset(), (), ())
    record: dict[str, Any] = {
        "backend": "cpu",
        "device": "a CPU",
        "instructions": instructions,
        "rounding": None,
    }
    record["gflops"] = rounds[-1]
    made = Entry(lab, program, {(64, 64, 64): rounds})
    made.last = Run("gemm", verdict, "" if verdict == PASS else "why", {**record, "library": None})
    return made


def test_a_share_is_of_the_best_of_the_class_round_by_round() -> None:
    lab, slow, fast = (
        entry("lab1", [10, 20, 40]),
        entry("slow", [11, 11, 11]),
        entry("fast", [20, 50, 50]),
    )
    wide, wrong = entry("wide", [900], "avx512"), entry("wrong", [800], verdict=FAIL)
    entries = [lab, slow, fast, wide, wrong]
    (size,) = as_record(lab, entries)["sizes"]
    assert (size["of"], size["share"], size["gflops"]) == ("fast", 0.5, 20)
    assert as_record(entry("lab1", [9], "sse2"), entries)["sizes"][0]["of"] == "fast"
    assert as_record(entry("lab1", [9], "avx512"), entries)["sizes"][0]["of"] == "wide"
    assert as_record(lab, [lab])["sizes"][0]["share"] is None
    assert as_record(wrong, entries)["sizes"] == []
    assert "40.0 %" not in table([as_record(one, entries) for one in entries], (64, 64, 64))


def test_ranks_are_a_class_of_their_own() -> None:
    lab, library, alone = entry("lab1", [10]), entry("spread", [20]), entry("alone", [900])
    for one, count in (lab, 2), (library, 2):
        assert one.last is not None
        one.last.record["ranks"] = {"count": count, "rows": count, "columns": 1, "nodes": 1}
    assert as_record(lab, [lab, library, alone])["sizes"][0]["of"] == "spread"


# ---- built as the labs are ---------------------------------------------------------------------
def changed(one: str, other: str) -> int:
    return len(re.findall(r"^[<>]", run(["diff", TOP / one, TOP / other], TOP).out, re.M))


def test_main_is_that_of_the_labs() -> None:
    for name in "openblas", "blis", "mkl":
        assert changed("lab03_avx_block/main.c", f"baseline/{name}/main.c") == 0
    assert changed("lab07_ocl_localmem/main.c", "baseline/clblast/main.c") <= 46
    assert changed("advanced/lab21_mpi/main.c", "baseline/scalapack/main.c") == 0
    assert changed("lab09_cuda_shared/main.cu", "baseline/cublas/main.cu") <= 20
    assert changed("baseline/cublas/main.cu", "baseline/cublas_tf32/main.cu") == 0


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_for_labs_refuses_it(tree: Path, name: str) -> None:
    for command in "race", "sweep":
        said = make(tree / "baseline" / name, command)
        assert (said.status, said.out) == (2, "")
        assert (
            f"{command}: {name} is a library to compare with: make {command} is for labs"
            in said.err
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_installed_is_right(tree: Path, name: str) -> None:
    folder = tree / "baseline" / name
    if why := json.loads(make(folder, "describe").out)["skip"]:
        pytest.skip(f"baseline/{name} is not installed: {why}")
    assert make(folder, "-B", "all").status == 0
    for program in sorted(path.name for path in folder.glob("gemm*")):
        said, record = gemm(folder, "--check", program=program)
        assert record["verdict"] in ("pass", "skip"), said.text


# ---- in the demo -------------------------------------------------------------------------------
def test_the_demo_shows_a_library_where_there_is_one(
    openblas: Path, tree: Path, broken: Copy, fake: dict[str, str]
) -> None:
    folders = [broken("right"), openblas, tree / "baseline/mkl", broken("right")]
    command: list[str | Path] = [sys.executable, "-m", "workbook", "demo", *folders]
    said = run(command, tree, env={**fake, "SIZE": "48"})
    assert said.status == 0, said.text
    rows = re.findall(r"^(\S.*?|  \S+) +[\d.]+ ms +[\d.]+ +(\S+) ", said.out, re.M)
    assert [label for label, _ in rows][:2] == ["right_lab01_cpu_naive", "library openblas"]
    assert "  zen" in [label for label, _ in rows]
    assert {before for label, before in rows[:-1]} == {"-"}
    speeds = re.findall(r"^right_\S+ +[\d.]+ ms +([\d.]+) ", said.out, re.M)
    ratio = float(speeds[1]) / float(speeds[0])  # the lab before is a lab
    assert float(rows[-1][1].rstrip("x")) == pytest.approx(ratio, abs=0.02)
    assert "mkl" not in said.out
    bare = run(command, tree, env={**NONE, "SIZE": "48"})
    assert "library" not in bare.out
