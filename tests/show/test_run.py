# SPDX-License-Identifier: MIT
"""make run: the program's own text as it comes, a limit, one line for what it could not say itself;
what a right result leaves open, and how long its user waits."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Copy
from tests.copies import changed, without
from tests.support import edit, environment, gemm, make, run
from tests.terminal import in_terminal
from workbook.check.other import replaced
from workbook.lab.labs import describe
from workbook.lab.program import PASS, Result
from workbook.measure.requested import requested
from workbook.show.run import below, open_questions, total


def test_arguments_reach_the_program_and_what_it_prints_is_shown(
    broken: Copy, tmp_path: Path
) -> None:
    csv, json = tmp_path / "my.csv", tmp_path / "my.json"
    arguments = f"ARGS=64 32 --reps 2 --csv {csv} --json {json}"
    result = make(broken("right"), "run", "SIZE=16", arguments)
    assert (result.status, result.err) == (0, "")
    assert "verified       PASS" in result.out and "M=16 N=64 K=32" in result.out
    assert len(csv.read_text().splitlines()) == 3
    assert '"verdict": "pass"' in json.read_text()
    for option in "--help", "--list-devices":  # which verify nothing
        result = make(broken("right"), "run", f"ARGS={option}")
        assert (result.status, result.err) == (0, "") and result.out


# ---- the rehearsal
NAIVE, SWAPPED = (
    "lab01_cpu_naive",
    "const int column = row, down = col;\n    if (down < M && column < N) {\n",
)
BODY = "real sum = 0;\nfor (int k = 0; k < K; k++) sum += A[down * K + k] * B[k * N + column];\n"
EXCHANGED = f"{SWAPPED}{BODY}C[down * N + column] = sum; }}\nif (0 && row"
MASKED = "_mm256_maskload_ps(&B[k * N + j], lanes)"
HIDDEN = {
    "a row of A is M long": (NAIVE, "A[i * K + k]", "A[i * M + k]"),
    "a row of C is M long": (NAIVE, "C[i * N + j]", "C[i * M + j]"),
    "B without a mask": ("lab02_avx", MASKED, "_mm256_loadu_ps(&B[k * N + j])"),
    "OpenCL, x and y swapped": ("lab04_ocl_naive", "if (row", EXCHANGED),
    "CUDA, a row of A is M long": ("lab08_cuda_naive", "row * K", "row * M"),
}


@pytest.mark.parametrize("mistake", HIDDEN)
def test_what_a_square_hides_is_found_before_it_is_timed(lab: Copy, mistake: str) -> None:
    name, old, new = HIDDEN[mistake]
    folder = lab(name)
    edit(next(folder.glob("kernel.c*")), old, new)
    assert make(folder, "gemm").status == 0
    assert run(["./gemm", "96", "--reps", "1"], folder).status == 0
    said = make(folder, "run", "SIZE=96")
    assert said.status == 2
    assert "likely cause" in said.out
    assert "not run        96 x 96 x 96, until this small shape is right" in said.out
    assert "make race" not in said.out
    assert "verified" not in said.out


def test_what_two_tiles_of_k_leave_open_is_told_by_three(lab: Copy) -> None:
    """With two, the first tile is also the one before."""
    folder = lab("lab03_avx_block")
    edit(folder / "kernel.c", "&A[i * K + kk]", "&A[i * K]")
    assert make(folder, "gemm").status == 0
    assert gemm(folder, "512", "--reps", "1")[1]["finding"]["cause"] is None
    said = make(folder, "run", "SIZE=512")
    assert "likely cause: of A, each tile of k is the first one" in said.out


def test_only_a_run_of_a_large_square_rehearses(lab: Copy) -> None:
    """Who chooses a shape looks at that one; and what measures has its one shape."""
    folder = lab(NAIVE)
    with changed(folder / "kernel.c", (folder / "kernel.c").read_text().replace("< K", "< K - 1")):
        for sizes in "7 5 3", "64 16 600", "9":
            said = make(folder, "run", f"SIZE={sizes}").out
            M, N, K = sizes.split() if " " in sizes else 3 * [sizes]
            assert said.startswith(f"FAIL  M={M} N={N} K={K}, ") and "not run" not in said
    edit(folder / "kernel.c", "A[i * K + k]", "A[i * M + k]")
    assert make(folder, "bench", "SIZES=64").status == 0
    assert run(["./gemm", "64", "--rehearse"], folder).status == 1
    edit(folder / "kernel.c", "A[i * M + k]", "A[i * K + k]")
    assert make(folder, "gemm").status == 0
    for more in [], ["--rehearse"]:  # which leaves the record of a run as it is
        record = gemm(folder, "64", "--reps", "2", *more)[1]
        assert ([shape["M"] for shape in record["shapes"]], len(record["repetitions"])) == ([64], 2)


# ---- what a right result leaves open
NOT_YET = "  memory         not looked at yet: make race"


def test_memory_that_no_tool_has_looked_at_is_told_until_a_check_has(clone: Path) -> None:
    cuda, folder = clone / "lab09_cuda_shared", without(clone / NAIVE, "row_column")
    assert "memory" not in make(cuda, "run", "SIZE=40").out  # the reference
    edit(cuda / "kernel.cu", "real sum = 0;", "real sum = 0; // mine")
    assert NOT_YET in make(cuda, "run", "SIZE=40").out
    edit(folder / "kernel.c", "int k = 0", "int k =  0")
    said = make(folder, "run", "SIZE=40").out  # there is no memory of its own
    assert "verified       PASS" in said and "not looked at" not in said and "not used" not in said
    edit(folder / "kernel.c", "real sum = 0;", "static real zero[1]; real sum = zero[0];")
    assert NOT_YET in make(folder, "run", "SIZE=40").out
    assert make(clone, "check", "LAB=1", env={"SIZE": "64"}).status == 0
    assert "not looked at yet" not in make(folder, "run", "SIZE=40").out
    edit(folder / "kernel.c", "zero[1];", "zero[2];")
    assert "not looked at yet" in make(folder, "run", "SIZE=40").out


def test_so_are_a_number_in_a_tunable_s_place_and_a_barrier_in_an_if(lab: Copy, tree: Path) -> None:
    own = describe(str(tree / "lab05_ocl_coarsen"), [])
    kernel = own.path / "kernel.cl"
    text = kernel.read_text(encoding="utf-8")
    asked = "16 is written: is it GROUP_X or GROUP_Y, which the task"
    for new, said in {
        text: "",
        text.replace("GROUP_X", "16"): asked,
        text.replace("c * GROUP_X", "c * 16"): asked,  # in some places
        text.replace("GROUP_X", "get_local_size(0)"): "",
        text.replace("GROUP_X", "sixteen") + "#pragma unroll 16\n": "",
    }.items():
        with changed(kernel, new):
            assert replaced(own).startswith(said) and bool(replaced(own)) == bool(said)
    own = describe(str(tree / "lab07_ocl_localmem"), [])
    kernel = own.path / "kernel.cl"
    text = kernel.read_text(encoding="utf-8")
    wait = "barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete"
    with changed(kernel, text.replace(wait, f"if (row + y < M) {wait}")):
        rows = open_questions(own, Result("gemm", PASS))
    assert rows["barrier"].startswith("kernel.cl: a barrier is inside if (row + y < M), where not")
    folder = lab("lab03_avx_block")
    edit(folder / "kernel.c", "BLOCK_KN", "256")
    unused = "  tunable        BLOCK_KN is not used, which the task names"
    assert unused in make(folder, "run", "SIZE=40").out


# ---- what it does not say
@pytest.mark.slow
def test_a_loop_that_does_not_end_has_its_line_before_its_time_is_over(broken: Copy) -> None:
    folder = broken("hangs")
    said = make(folder, "run", "SIZE=64", "LIMIT=60").err
    lines = (folder / "kernel.c").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "forever" in text)
    assert re.search(f"no result within .* s at 65 x 129 x 80: kernel.c:{line} is at work", said)


CRASHED = "crashed with signal 11 at 65 x 129 x 80: kernel.c:12 writes where there is no memory"
ENDED = "the kernel ended the program{} before its result was verified"
UNSAID = {
    "is_wrong": [],
    "hangs": ["no result within 2 s at 65 x 129 x 80: a loop that does not end?"],
    "crashes": [CRASHED, "next: make race"],
    "ends": [ENDED.format("")],
    "skips": [ENDED.format(" with status 77")],
}


@pytest.mark.parametrize("kind", UNSAID)
def test_what_it_cannot_say_itself_is_one_line(broken: Copy, kind: str) -> None:
    limit = ["LIMIT=2"] if kind == "hangs" else []
    result = make(broken(kind), "run", "SIZE=64", *limit, seconds=60)
    assert result.status == 2
    said = [line for line in result.text.splitlines() if line.startswith("gemm: ")]
    assert said == [f"gemm: {one}" for one in UNSAID[kind]]
    assert ("likely cause" in result.out) == (kind == "is_wrong")


def test_a_skip_is_no_error_unless_the_program_crashes(broken: Copy, tree: Path) -> None:
    result = make(tree / "lab02_avx", "run", "TYPE=int")
    assert result.status == 0
    assert "gemm: skipped: the AVX labs are written for float, not int" in result.err
    folder = broken("right")
    crashing = folder / "gemm_crashing"
    crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashing.chmod(0o755)
    words = [sys.executable, "-m", "workbook", "run", str(folder), crashing.name, "--list-devices"]
    result = run(words, folder.parent)
    assert (result.status, result.out, result.err) == (1, "", "gemm: crashed with signal 11\n")


@pytest.mark.parametrize("target", ["run", "all"])
def test_a_missing_kernel_is_one_line(lab: Copy, target: str) -> None:
    folder = lab(NAIVE)
    (folder / "kernel.c").unlink()
    result = make(folder, target)
    assert (result.status, result.out) == (2, "")
    first, *more = result.err.splitlines()
    assert first.startswith("make: there is no kernel.c in ")
    assert all(line.startswith("make: *** ") for line in more)


def test_what_a_small_shape_tells_of_a_crash(lab: Copy) -> None:
    folder = lab("lab08_cuda_naive")
    edit(folder / "kernel.cu", "row < M && col < N", "row < N && col < M")
    said = make(folder, "run", "SIZE=64", "CUDA=cpu")
    assert said.status == 2
    assert "at 3 x 7 x 5 it does not crash, and is wrong: likely cause: the kernel" in said.err
    assert "M and N exchanged" in said.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_an_interrupt_ends_all(broken: Copy, number: int) -> None:
    """What was printed is there, nothing runs any more, and nothing is said of a crash."""
    process = subprocess.Popen(
        ["make", "-s", "run", "SIZE=64"],
        cwd=broken("talks"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    os.killpg(process.pid, number)
    said = first + process.stdout.read()  # until the last one that could write has ended
    process.wait()
    assert "here" in said and "make race" not in said and "Traceback" not in said
    assert process.returncode != 0


def test_in_a_terminal_it_prints_to_the_terminal(broken: Copy) -> None:
    assert make(broken("right"), "gemm").status == 0
    result = in_terminal(["make", "-s", "run", "ARGS=--check", "SIZE="], broken("right"))
    assert result.status == 0
    assert "\033[K\rcheck " in result.out  # as only in a terminal


def test_the_python_of_setup_is_found_from_a_lab(clone: Path) -> None:
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / ".venv/bin/python3").symlink_to(sys.executable)
    (clone / ".venv/requirements.txt").touch()
    result = run("unset PYTHON; make -s -C lab01_cpu_naive sweep", clone)
    assert (result.status, result.out) == (0, "lab01_cpu_naive: nothing to sweep\n")


def test_help_names_no_variant_that_is_not_there(tree: Path) -> None:
    assert "VARIANT=" not in make(tree / "lab02_avx", "help").out
    assert "VARIANT=one_per_item" in make(tree / "lab07_ocl_localmem", "help").out


# ---- below the figures
def result(**more: Any) -> Result:
    record = {
        **{"lab": "lab04_ocl_naive", "variant": "", "backend": "opencl", "type": "float"},
        **{"settings": "", "gflops": 100.0, "spread": 0.01, "alloc_ms": 0.5, "context_ms": 10.0},
        **{"build_ms": 5.5, "ceilings": {"gflops": 1000.0, "gbs": 50.0}},
        "repetitions": [{"kernel_ms": 8.0, "h2d_ms": 3.0, "d2h_ms": 1.0, "cpu_ms": None}],
    }
    return Result("gemm", PASS, record=record | more)


ASKS = "bytes for each multiply-add"
LAB_07, PUBLISHED = (
    {"lab": "lab07_ocl_localmem"},
    {"lab": "lab08_cuda_naive", "variant": "published"},
)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, f"400 GB/s, 8 {ASKS}: 8.0 times the 50 of memory"),
        ({"type": "double"}, f"800 GB/s, 16 {ASKS}: 16.0 times the 50 of memory"),
        ({"gflops": 2.5}, f"10 GB/s, 8 {ASKS}: 20 % of the 50 of memory"),
        ({"ceilings": None}, f"400 GB/s, 8 {ASKS}"),
        (LAB_07, f"3.125 GB/s, 0.0625 {ASKS}: 6 % of the 50 of memory"),
        (PUBLISHED, f"600 GB/s, 12 {ASKS}: 12.0 times the 50 of memory"),
        ({"settings": "GROUP_X=8"}, ""),  # it was counted for the defaults
        ({"lab": "openblas"}, ""),
    ],
)
def test_what_is_requested_in_a_second(more: dict[str, Any], says: str) -> None:
    assert requested(result(**more)) == says


def test_how_long_its_user_waits() -> None:
    """No figure is made of what is too noisy or emulated; on the CPU there are no copies."""
    said = "28 ms for one product, set-up and copies included; 80.02 s for 10,000"
    assert total(result()) == said
    assert total(result(build_ms=None)).startswith("22.5 ms") and not total(result(alloc_ms=None))
    assert [name for name, words in below(result()).items() if words] == ["requested", "total"]
    for more in {"spread": 0.3}, {"gflops": None, "spread": None}:
        assert not any(below(result(**more)).values())
