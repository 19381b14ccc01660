# SPDX-License-Identifier: MIT
"""make run: the program's own text as it comes, a limit, one line for what it could not say itself;
and make is asked for what it cannot do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.copies import changed, without
from tests.support import edit, environment, gemm, make, run
from tests.terminal import in_terminal
from workbook.check.other import replaced
from workbook.lab.labs import describe
from workbook.lab.program import PASS, Result
from workbook.show.run import open_questions


def last_of_gemm(text: str) -> str:
    return [line for line in text.splitlines() if line.startswith("gemm: ")][-1]


def test_what_the_program_prints_is_shown(broken: Copy) -> None:
    result = make(broken("right"), "run", "SIZE=64")
    assert (result.status, result.err) == (0, "")
    assert "verified       PASS" in result.out
    assert "M=64 N=64 K=64" in result.out


def test_arguments_reach_the_program(broken: Copy, tmp_path: Path) -> None:
    csv, json = tmp_path / "my.csv", tmp_path / "my.json"
    arguments = f"ARGS=64 32 --reps 2 --csv {csv} --json {json}"
    result = make(broken("right"), "run", "SIZE=16", arguments)
    assert (result.status, result.err) == (0, "")
    assert len(csv.read_text().splitlines()) == 3
    assert '"verdict": "pass"' in json.read_text()


@pytest.mark.parametrize("option", ["--help", "--list-devices"])
def test_what_verifies_nothing_is_no_failure(broken: Copy, option: str) -> None:
    result = make(broken("right"), "run", f"ARGS={option}")
    assert (result.status, result.err) == (0, "")
    assert result.out != ""


def test_a_wrong_result_fails(broken: Copy) -> None:
    result = make(broken("is_wrong"), "run", "SIZE=64")
    assert result.status == 2  # make's
    assert "likely cause" in result.out
    assert "gemm: " not in result.err


# ---- the rehearsal

NAIVE, SWAPPED = (
    "lab01_cpu_naive",
    "const int column = row, down = col;\n    if (down < M && column < N) {\n",
)
BODY = "real sum = 0;\nfor (int k = 0; k < K; k++) sum += A[down * K + k] * B[k * N + column];\n"
HIDDEN = {
    "a row of A is M long": (NAIVE, "A[i * K + k]", "A[i * M + k]"),
    "a row of C is M long": (NAIVE, "C[i * N + j]", "C[i * M + j]"),
    "a row of B is K long": (NAIVE, "B[k * N + j]", "B[k * K + j]"),
    "B without a mask": (
        "lab02_avx",
        "_mm256_maskload_ps(&B[k * N + j], lanes)",
        "_mm256_loadu_ps(&B[k * N + j])",
    ),
    "OpenCL, x and y swapped": (
        "lab04_ocl_naive",
        "if (row",
        f"{SWAPPED}{BODY}C[down * N + column] = sum; }}\nif (0 && row",
    ),
    "CUDA, x and y swapped": (
        "lab08_cuda_naive",
        "if (row",
        f"{SWAPPED}{BODY}C[down * N + column] = sum; }}\nif (0 && row",
    ),
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


@pytest.mark.parametrize("sizes", ["7 5 3", "64 16 600", "9"])
def test_who_chooses_a_shape_looks_at_that_one(lab: Copy, sizes: str) -> None:
    folder = lab(NAIVE)
    edit(folder / "kernel.c", "k < K", "k < K - 1")
    said = make(folder, "run", f"SIZE={sizes}").out
    M, N, K = sizes.split() if " " in sizes else 3 * [sizes]
    assert said.startswith(f"FAIL  M={M} N={N} K={K}, ")
    assert "not run" not in said


def test_only_make_run_rehearses(lab: Copy) -> None:
    """What measures has its one shape."""
    folder = lab(NAIVE)
    edit(folder / "kernel.c", "A[i * K + k]", "A[i * M + k]")
    assert make(folder, "bench", "SIZES=64").status == 0
    assert run(["./gemm", "64", "--rehearse"], folder).status == 1


def test_a_rehearsal_leaves_the_record_of_a_run_as_it_is(lab: Copy) -> None:
    folder = lab(NAIVE)
    assert make(folder, "gemm").status == 0
    records = [gemm(folder, "64", "--reps", "2", *more)[1] for more in ([], ["--rehearse"])]
    assert [[shape["M"] for shape in record["shapes"]] for record in records] == [[64], [64]]
    assert [len(record["repetitions"]) for record in records] == [2, 2]


# ---- what a right result leaves open
NOT_YET = "  memory         not looked at yet: make race"


def test_shared_memory_that_no_tool_has_looked_at_is_told(clone: Path) -> None:
    folder = clone / "lab09_cuda_shared"
    assert "memory" not in make(folder, "run", "SIZE=40").out  # the reference
    edit(folder / "kernel.cu", "real sum = 0;", "real sum = 0; // mine")
    assert NOT_YET in make(folder, "run", "SIZE=40").out


def test_what_a_check_has_looked_at_is_not_told_until_it_changes(clone: Path) -> None:
    folder = without(clone / NAIVE, "row_column")
    edit(folder / "kernel.c", "real sum = 0;", "static real zero[1]; real sum = zero[0];")
    assert NOT_YET in make(folder, "run", "SIZE=40").out
    assert make(clone, "check", "LAB=1", env={"SIZE": "64"}).status == 0
    assert "not looked at yet" not in make(folder, "run", "SIZE=40").out
    edit(folder / "kernel.c", "zero[1];", "zero[2];")
    assert "not looked at yet" in make(folder, "run", "SIZE=40").out


def test_so_are_a_number_in_a_tunable_s_place_and_a_barrier_in_an_if(tree: Path) -> None:
    lab = describe(str(tree / "lab05_ocl_coarsen"), [])
    assert replaced(lab) == ""
    kernel = lab.path / "kernel.cl"
    text = kernel.read_text(encoding="utf-8")
    with changed(kernel, text.replace("GROUP_X", "16")):
        assert replaced(lab).startswith("16 is written: is it GROUP_X or GROUP_Y, which the task")
    with changed(kernel, text.replace("c * GROUP_X", "c * 16")):  # in some places
        assert replaced(lab).startswith("16 is written: is it GROUP_X or GROUP_Y, which the task")
    with changed(kernel, text.replace("GROUP_X", "get_local_size(0)")):
        assert replaced(lab) == ""
    with changed(kernel, text.replace("GROUP_X", "sixteen") + "#pragma unroll 16\n"):
        assert replaced(lab) == ""
    lab = describe(str(tree / "lab07_ocl_localmem"), [])
    kernel = lab.path / "kernel.cl"
    text = kernel.read_text(encoding="utf-8")
    wait = "barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete"
    with changed(kernel, text.replace(wait, f"if (row + y < M) {wait}")):
        rows = open_questions(lab, Result("gemm", PASS))
    assert rows["barrier"].startswith("kernel.cl: a barrier is inside if (row + y < M), where not")


def test_so_is_memory_of_its_own_and_a_tunable_with_a_number_in_its_place(lab: Copy) -> None:
    folder = lab("lab03_avx_block")
    text = (folder / "kernel.c").read_text()
    (folder / "kernel.c").write_text(text.replace("BLOCK_KN", "256"))
    said = make(folder, "run", "SIZE=40").out
    assert NOT_YET in said
    assert "  tunable        BLOCK_KN is not used, which the task names" in said
    folder = lab("lab01_cpu_naive")
    edit(folder / "kernel.c", "int k = 0", "int k =  0")
    said = make(folder, "run", "SIZE=40").out
    assert "verified       PASS" in said
    assert "not looked at yet" not in said
    assert "is not used" not in said


# ---- what it does not say


@pytest.mark.slow
def test_a_loop_that_does_not_end_has_its_line_before_its_time_is_over(broken: Copy) -> None:
    folder = broken("hangs")
    said = make(folder, "run", "SIZE=64", "LIMIT=60").err
    lines = (folder / "kernel.c").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "forever" in text)
    assert re.search(f"no result within .* s at 65 x 129 x 80: kernel.c:{line} is at work", said)


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (
            "hangs",
            ["LIMIT=2"],
            ["no result within 2 s at 65 x 129 x 80: a loop that does not end?"],
        ),
        (
            "crashes",
            [],
            [
                "crashed with signal 11 at 65 x 129 x 80: kernel.c:12 writes where there is no "
                "memory",
                "next: make race",
            ],
        ),
        ("ends", [], ["the kernel ended the program before its result was verified"]),
        (
            "skips",
            [],
            ["the kernel ended the program with status 77 before its result was verified"],
        ),
    ],
)
def test_what_it_cannot_say_itself_is_one_line(
    broken: Copy, kind: str, settings: list[str], words: list[str]
) -> None:
    result = make(broken(kind), "run", "SIZE=64", *settings, seconds=60)
    assert result.status == 2
    assert [line for line in result.text.splitlines() if line.startswith("gemm: ")] == [
        f"gemm: {one}" for one in words
    ]


def test_a_skip_is_no_error(tree: Path) -> None:
    result = make(tree / "lab02_avx", "run", "TYPE=int")
    assert result.status == 0
    assert last_of_gemm(result.err) == "gemm: skipped: the AVX labs are written for float, not int"


def test_what_the_program_refuses_is_said_once(broken: Copy) -> None:
    result = make(broken("right"), "run", "SIZE=0")
    assert result.status == 2
    assert result.err.count("gemm: ") == 1
    assert "size 0 is out of range" in result.err


def test_a_limit_that_is_no_number(broken: Copy) -> None:
    result = make(broken("right"), "run", "LIMIT=soon")
    assert result.status == 2
    assert "run: LIMIT=soon: give whole seconds, such as LIMIT=300" in result.err
    assert result.out == ""


@pytest.mark.parametrize("target", ["run", "all"])
def test_a_missing_kernel_is_one_line(lab: Copy, target: str) -> None:
    folder = lab("lab01_cpu_naive")
    (folder / "kernel.c").unlink()
    result = make(folder, target)
    assert result.status == 2
    assert result.out == ""
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


def test_a_skipped_lab_whose_program_crashes_gets_a_line(broken: Copy) -> None:
    folder = broken("right")
    crashing = folder / "gemm_crashing"
    crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashing.chmod(0o755)
    words = [sys.executable, "-m", "workbook", "run", str(folder), crashing.name, "--list-devices"]
    result = run(words, folder.parent)
    assert (result.status, result.out, result.err) == (1, "", "gemm: crashed with signal 11\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_an_interrupt_ends_all(broken: Copy, number: int) -> None:
    """What was printed is there, nothing runs any more, and nothing is said of a crash."""
    folder = broken("talks")
    process = subprocess.Popen(
        ["make", "-s", "run", "SIZE=64"],
        cwd=folder,
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
    assert "here" in said
    assert "make race" not in said
    assert "Traceback" not in said
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
    out = make(tree / "lab07_ocl_localmem", "help").out
    assert "VARIANT=one_per_item" in out
