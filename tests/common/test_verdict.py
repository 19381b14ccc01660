# SPDX-License-Identifier: MIT
"""Nothing wrong passes: whatever CFLAGS say, whatever the clock says. And what a wrong kernel is
told."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest

from tests.copies import copy_to, workshop
from tests.support import Result, environment, gemm, kernel, make, needs, run

NAIVE = "lab01_cpu_naive"
CLASSES = [
    "squares",
    "whole tiles",
    "edges",
    "rectangles",
    "tall, wide, deep",
    "single rows, columns",
]
IDLE = ("C[i * N + j] = sum;", "if (M < 0) C[i * N + j] = sum;")


@pytest.fixture
def naive(tree: Path) -> Path:
    """Built each time: a broken one may have been built there."""
    folder = workshop(tree, NAIVE)
    assert make(folder, "gemm").status == 0
    return folder


# ---- the verification's flags are its own


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_fast_math_does_not_help_a_wrong_kernel(tree: Path, compiler: str) -> None:
    needs(compiler)
    with kernel(tree, NAIVE, *IDLE, f"CC={compiler}", "CFLAGS=-std=c11 -O3 -ffast-math") as folder:
        assert gemm(folder, "64")[1]["verdict"] == "fail"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_fast_math_for_everything_is_refused(tree: Path, compiler: str) -> None:
    needs(compiler)
    ended = make(
        workshop(tree, NAIVE, f"CC={compiler} -ffast-math"), f"CC={compiler} -ffast-math", "gemm"
    )
    assert ended.status == 2
    assert "verify.c needs NaN: -ffast-math" in ended.err


@pytest.mark.skipif(platform.machine() != "x86_64", reason="an x86-64 matter")
def test_fast_math_is_not_linked(tree: Path) -> None:
    """gcc then links what takes small numbers for 0 in the whole program."""
    needs("gcc")
    asked = "= (__builtin_ia32_stmxcsr() & 0x8040) ? 0 : sum;"
    with kernel(tree, NAIVE, "= sum;", asked, "CC=gcc", "CFLAGS=-O2 -ffast-math") as folder:
        assert gemm(folder, "64")[1]["verdict"] == "pass"


def test_what_is_written_far_past_c_is_told_and_does_not_end_in_malloc(tree: Path) -> None:
    """Where all memory comes from one heap, as with few small matrices it does by itself."""
    heap = {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1000000000"}
    with kernel(tree, NAIVE, "i < M; i++", "i < 2 * M; i++") as folder:
        result, record = gemm(folder, "32", "64", "64", env=heap)
    assert (result.status, record["verdict"]) == (1, "fail"), result.err
    assert "outside C      1024 words" in result.out


# ---- speeds that cannot be


HASTY = """int clock_gettime(int id, long *t);
int clock_gettime(int id, long *t) { static long ns; t[0] = 0; t[1] = ns += 10 + 0 * id; return 0; }
"""


def test_an_impossible_speed_is_neither_printed_nor_kept(tree: Path, tmp_path: Path) -> None:
    csv = tmp_path / "hasty.csv"
    clock = tmp_path / "clock.c"
    clock.write_text(HASTY)
    with kernel(tree, NAIVE, "real sum = 0", "real sum = 0", f"LDFLAGS={clock}") as folder:
        ended, record = gemm(folder, "640", "--reps", "1", "--csv", str(csv))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("gemm: impossible: ")
    assert csv.read_text() == ""
    assert (record["verdict"], record["gflops"], record["repetitions"]) == ("impossible", None, [])
    assert "impossible" in record["reason"]


class Measured:
    """A workbook in which make ceilings has measured what the test says."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def lab(self, name: str, ceilings: str) -> Path:
        folder = self.top / name
        assert make(folder, "gemm").status == 0
        listed = run(["./gemm", "--list-devices"], folder).out
        device = re.search(r"^\* 0  (.*)", listed, re.MULTILINE)
        assert device, listed
        best, *others = ceilings.split()
        rows = "\t".join(["cpu", device[1], "float", best, "10", *others])
        (self.top / "build").mkdir(exist_ok=True)
        (self.top / "build/ceilings.tsv").write_text(rows + "\n")
        return folder


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return Measured(copy_to(tmp_path_factory.mktemp("measured")))


LOW = "0.001 sse2=0.0001 avx2=0.0005 avx512=0.001"


def test_above_twice_the_measured_peak_a_right_kernel_passes_without_a_speed(
    measured: Measured, tmp_path: Path
) -> None:
    """The peak was measured too low."""
    csv = tmp_path / "low.csv"
    ended, record = gemm(measured.lab(NAIVE, LOW), "128", "--reps", "2", "--csv", str(csv))
    assert (ended.status, ended.err, record["verdict"]) == (0, "", "pass")
    assert record["reason"].endswith("is more than twice the measured peak of 0.001000")
    said = f"speed none is claimed: {record['reason']}; make -C .. ceilings measures that again"
    assert said in " ".join(ended.out.split())
    assert (record["gflops"], record["spread"], record["steady"]) == (None, None, None)
    assert len(record["repetitions"]) == len(record["shapes"]) + 1 == 2
    names, *rows = (line.split(",") for line in csv.read_text().splitlines())
    assert [row[names.index("gflops")] for row in rows] == ["", ""]


def test_no_speed_of_it_is_shown_or_counts(measured: Measured) -> None:
    measured.lab(NAIVE, LOW)
    for target in "demo", "bench", "check":
        said = make(measured.top, target, "LAB=01", "SIZE=64", "SIZES=64")
        assert said.status == 0, said.text
        assert "no speed is claimed: " in said.out
        assert "; make ceilings measures that again" in " ".join(said.out.split())
        assert ("PASS" if target != "bench" else "right") in said.out


def test_a_clock_beyond_every_device_is_refused_beside_a_low_peak(measured: Measured) -> None:
    measured.lab(NAIVE, LOW)
    clock = measured.top / "clock.c"
    clock.write_text(HASTY)
    with kernel(measured.top, NAIVE, "real sum = 0", "real sum = 0", f"LDFLAGS={clock}") as folder:
        ended, record = gemm(folder, "640", "--reps", "1")
    assert (ended.status, record["verdict"]) == (1, "impossible")


PEAKS = "4000 sse2=1000 avx2=2000 avx512=4000"


@pytest.mark.parametrize(("lab", "peak"), [(NAIVE, 1000), ("lab02_avx", 2000)])
def test_a_share_of_the_peak_is_that_of_the_kernels_instructions(
    measured: Measured, tmp_path: Path, lab: str, peak: int
) -> None:
    csv = tmp_path / "a.csv"
    ended, record = gemm(measured.lab(lab, PEAKS), "256", "--csv", str(csv))
    if ended.status == 77:
        pytest.skip(ended.err)
    assert csv.read_text().splitlines()[-1].endswith(f',{peak}.00,10.00,"",')
    assert (record["ceilings"]["gflops"], record["ceilings"]["best_gflops"]) == (peak, 4000)


def test_the_share_is_printed_with_its_instructions(measured: Measured) -> None:
    folder = measured.lab(NAIVE, PEAKS)
    for _ in range(20):  # a spread too wide says so instead
        ended = run(["./gemm", "256", "--reps", "3"], folder)
        if "too noisy" not in ended.out:
            break
    assert " of 1000, the peak of one core with sse2" in ended.out
    assert "(4000 with avx512)" in ended.out


# ---- the battery goes on


@pytest.fixture(scope="module")
def edge(tree: Path) -> tuple[Result, dict[str, Any]]:
    """Of a kernel that leaves out the last, partial tile of columns."""
    with kernel(tree, NAIVE, "j < N; j++", "j < N - N % 32; j++") as folder:
        return gemm(folder, "--check")


def test_a_wrong_shape_is_not_the_last(edge: tuple[Result, dict[str, Any]]) -> None:
    ended, record = edge
    assert (ended.status, record["verdict"], len(record["shapes"])) == (1, "fail", 33)
    assert "check 33  1 x 1 x 1\n" in ended.out


@pytest.mark.parametrize("group", CLASSES)
def test_each_class_of_shapes_is_counted(edge: tuple[Result, dict[str, Any]], group: str) -> None:
    ended, record = edge
    shapes = [shape["verdict"] for shape in record["shapes"] if shape["class"] == group]
    assert re.search(
        rf"^ +{group} +{shapes.count('pass')} of +{len(shapes)}$", ended.out, re.MULTILINE
    ), ended.out


def test_only_the_first_is_explained(edge: tuple[Result, dict[str, Any]]) -> None:
    ended, record = edge
    assert ended.out.count("\nFAIL") == 1
    finding = record["finding"]
    assert "FAIL  M={M} N={N} K={K}, ".format(**finding) in ended.out
    assert finding["first"]["got"] is None
    assert finding["unstable"] is False
    assert "never written" in finding["cause"]


@pytest.mark.parametrize(
    ("old", "new", "shape", "cause"),
    [
        ("C[i * N + j]", "C[i * K + j]", "38 32 38", "rows of C are taken to be K or M long: "),
        ("C[i * N + j]", "C[i * K + j]", "38 32 39", "rows of C are taken to be K long: "),
        ("B[k * N + j]", "B[k * M + j]", "24 37 24", "rows of B are taken to be K or M long: "),
        ("A[i * K + k]", "A[i * M + k]", "24 24 37", "rows of A are taken to be N or M long: "),
        ("A[i * K + k] * B[k * N", "B[i * K + k] * A[k * N", "21 21 21", "this is B times A, or "),
    ],
)
def test_of_two_sizes_that_are_the_same_both_are_named(
    tree: Path, old: str, new: str, shape: str, cause: str
) -> None:
    with kernel(tree, NAIVE, old, new) as folder:
        record = gemm(folder, *shape.split(), "--once")[1]
    assert cause in record["finding"]["cause"]


@pytest.mark.parametrize("barrier", ["complete", "overwritten"])
def test_a_missing_barrier_is_called_by_its_name_and_stops_nothing(
    tree: Path, barrier: str
) -> None:
    end = "may be overwritten" if barrier == "overwritten" else "are complete"
    with kernel(
        tree, "lab09_cuda_shared", f"__syncthreads(); // the tiles {end}", "", "CUDA=cpu"
    ) as folder:
        ended, record = gemm(folder, "--check")
    assert record["finding"]["cause"].startswith("changes from run to run")
    assert record["finding"]["unstable"] is True
    assert "likely cause: changes from run to run" in ended.out
    assert len(record["shapes"]) == 33


def test_long_work_says_so(tree: Path) -> None:
    folder = workshop(tree, "lab09_cuda_shared", "CUDA=cpu")
    assert make(folder, "gemm", "CUDA=cpu").status == 0
    with subprocess.Popen(
        ["./gemm", "6000"], cwd=folder, env=environment(), stdout=DEVNULL, stderr=PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        process.kill()
    assert said.startswith("6000 x 6000 x 6000 will take about ")


# ---- the inputs


def test_a_seed_repeats_the_inputs_and_another_one_changes_them(tree: Path) -> None:
    with kernel(tree, NAIVE, "= sum;", "= 0 * sum;") as folder:
        seeds = [gemm(folder, "64", "--seed", seed)[1]["finding"] for seed in ("5", "5", "6")]
    first, again, other = (finding["first"]["expected"] for finding in seeds)
    assert first == again
    assert first != other


# ---- the record


def test_the_record_of_a_timed_run(naive: Path) -> None:
    _, record = gemm(naive, "64", "96", "80", "--reps", "3")
    assert (record["verdict"], record["mode"], len(record["repetitions"])) == ("pass", "time", 3)
    assert record["gflops"] > 0
    assert record["shapes"][0]["N"] == 96
    assert record["finding"] is None


def test_the_record_of_a_battery(naive: Path) -> None:
    _, record = gemm(naive, "--check")
    assert (record["verdict"], len(record["shapes"])) == ("pass", 33)
    assert {shape["verdict"] for shape in record["shapes"]} == {"pass"}
    assert {shape["class"] for shape in record["shapes"]} == set(CLASSES)
    assert all(shape["method"] for shape in record["shapes"])


def test_the_record_of_an_error_has_its_words(naive: Path) -> None:
    _, record = gemm(naive, "64", "--device", 'no "such\\one')
    assert record["verdict"] == "error"
    assert 'no "such\\one' in record["reason"]


def test_the_record_of_a_kernel_that_ends_the_program(tree: Path) -> None:
    ends = "\n{ extern void exit(int); if (M == 7) exit(0);"
    with kernel(tree, NAIVE, "\n{", ends) as folder:
        ended, record = gemm(folder, "--check")
    assert (ended.status, record["verdict"], record["at"]["M"]) == (1, "fail", 7)
    assert "ended the program" in record["reason"]


def test_after_a_crash_the_other_kinds_of_shape_are_tried(tree: Path) -> None:
    with kernel(tree, NAIVE, "\n{", "\n{ if (M == 127) __builtin_trap();") as folder:
        ended, record = gemm(folder, "--check")
    assert (ended.status, record["verdict"], record["ended"]) == (1, "fail", "crash")
    verdicts = [shape["verdict"] for shape in record["shapes"]]
    assert (verdicts.index("crash"), record["at"]["M"]) == (19, 127)
    assert verdicts.count("pass") == len(verdicts) - 1 and "1 x 1 x 1" in ended.out
