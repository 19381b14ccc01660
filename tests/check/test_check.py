# SPDX-License-Identifier: MIT
"""make check, with submissions that are not what it expects: each gets the verdict that it
deserves."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cheating import Kernel, described
from tests.copies import copy_to
from tests.grading import CPU, SUM, Submit, book, check, kernel_alone, record, recorded, submit
from tests.support import TOP, await_file, environment, make, run
from workbook.handin.bench import Unfit
from workbook.lab import labs
from workbook.lab.course import Task
from workbook.teacher.grade.compiling.builder import Work, build_tools
from workbook.teacher.grade.judge.workers import make as make_worker

__all__ = ["book", "kernel_alone", "submit"]  # fixtures
PASSED = "1 passed, 0 failed, 0 skipped"


def workbook(*words: str) -> list[str]:
    return [sys.executable, "-m", "workbook", *words]


# ---- bad input --------------------------------------------------------------------------------
def test_an_unknown_command(tree: Path) -> None:
    said = run(workbook("chekc"), tree)
    assert said.status == 2
    assert "no command 'chekc'" in said.err
    assert "  check " in said.err


@pytest.mark.parametrize("words", [["--help"], ["check", "--help"]])
def test_help(tree: Path, words: list[str]) -> None:
    said = run(workbook(*words), tree)
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("usage: ")


def test_an_unknown_type(tree: Path) -> None:
    said = make(tree / CPU, "check", "TYPE=half")
    assert said.status == 2
    assert "TYPE=half: choose float" in said.err


def test_a_table_of_points_that_is_no_text(clone: Path) -> None:
    (clone / "course.tsv").write_bytes(b"lab\xff")
    said = run(workbook("check", CPU), clone)
    assert (said.status, said.out) == (2, "")
    assert said.err == f"check: {clone}/course.tsv: is no UTF-8 text: save it as UTF-8\n"


def test_a_table_of_points_with_a_mistake(clone: Path) -> None:
    with (clone / "course.tsv").open("a") as table:
        table.write("lab10_next\tmany\n")
    said = run(workbook("check", CPU), clone)
    assert said.status == 2
    assert "is not as the others" in said.err


# ---- however make is called -------------------------------------------------------------------
def test_a_right_lab(clone: Path) -> None:
    said = check(clone, CPU)
    said.assert_says(0, PASSED, "66/66")
    assert "\r" not in said.out and "check [" not in said.out  # no terminal: no progress bar
    entry = recorded(clone)["labs"][0]
    assert (entry["verdict"], entry["emulated"]) == ("PASS", False)


def test_flags_of_make_change_nothing(book: Path) -> None:
    said = run(["make", "-w", "-j2", "-B", "-k", "-C", CPU, "check", "SIZE=64"], book)
    assert said.status == 0
    assert PASSED in said.out


def test_make_n_runs_nothing(tree: Path) -> None:
    record(tree).unlink(missing_ok=True)
    said = run(["make", "-n", "-C", CPU, "check"], tree)
    assert said.status == 0
    assert "workbook check" in said.out
    assert not record(tree).exists()


def test_a_path_with_a_space(tmp_path: Path) -> None:
    (tmp_path / "with space").mkdir()
    folder = copy_to(tmp_path / "with space")
    said = run(["make", "-C", folder / CPU, "check", "SIZE=64"], folder)
    assert (said.status, PASSED in said.out) == (0, True)


def test_settings_pass_through(book: Path) -> None:
    said = make(book / CPU, "check", "TYPE=double", "CFLAGS=-O1 -g", "SIZE=64")
    assert (said.status, PASSED in said.out) == (0, True)
    assert recorded(book)["type"] == "double"
    assert "CFLAGS=-O1 -g" in recorded(book)["settings"]


def test_a_skip_says_why(book: Path) -> None:
    said = make(book / "lab02_avx", "check", "TYPE=int")
    assert said.status == 0
    assert "0 passed, 0 failed, 1 skipped" in said.out
    assert "written for float, not int" in said.out


# ---- submissions ------------------------------------------------------------------------------
def test_a_kernel_that_opencl_cannot_compile(book: Path, submit: Submit) -> None:
    """In the words of make grade, and not: make race."""
    submit("real sum = 0;", "real sun = 0;", "lab04_ocl_naive/kernel.cl", includes="")
    said = check(book, "lab04_ocl_naive")
    said.assert_says(1, "cd lab04_ocl_naive && make run total")
    [row] = recorded(book)["labs"]
    text = (book / "lab04_ocl_naive/kernel.cl").read_bytes()
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as made:
        Path(made).chmod(0o755)
        work = Work(described("lab04_ocl_naive"), Task(8, 2, None, 0, 1, ""), Path(made, "work"))
        build_tools()
        with pytest.raises(Unfit) as unfit:
            make_worker(work, {"kernel.cl": text})
    assert row["reason"] == unfit.value.reason
    assert row["reason"].startswith("does not build: error: kernel.cl:")


@pytest.mark.parametrize("suffix", ["c", "cl", "cu"])
def test_a_kernel_may_call_its_own_what_it_likes(
    suffix: str, book: Path, kernel_alone: None, submit: Submit
) -> None:
    """As ours in common/, and as what libc has; make race builds it otherwise."""
    kernel = Kernel(TOP / f"tests/honest/names_of_ours.{suffix}", {})
    file = f"{kernel.lab}/kernel.{suffix}"
    submit((TOP / file).read_text(encoding="utf-8"), kernel.path.read_text(), file, includes="")
    check(book, kernel.lab).assert_says(0, PASSED)
    said = make(book / kernel.lab, "race", "CUDA=cpu")
    assert said.status == 0, said.text


ENDLESS = f"for (volatile int on = 1; on;) {{}} {SUM}"


@pytest.mark.parametrize(
    ("kernel", "status", "says"),
    [
        (f'if (i + j == 0) printf("%d ", K); {SUM}', 0, [PASSED]),  # into the verdict
        (f"_exit(77); {SUM}", 1, ["with status 77 before its result was verified"]),
        (f"_exit(0); {SUM}", 1, ["the kernel ended the program before its result was verified"]),
        (f'for (;;) puts("PASS  33 shapes, float"); {SUM}', 1, ["wrote more than 100 MiB"]),
        (f"if (M == 127) abort(); {SUM}", 1, ["crashed with signal 6 at 127 x 131 x 113"]),
        ("nonsense; " + SUM, 1, ["does not build: kernel.c"]),
        (
            f"if (M == 127) abort(); {SUM} + 1",
            1,
            ["wrong, and it crashed at 127 x 131 x 113", "0 of 33 shapes are right", " 0/33 "],
        ),
        (
            f"if (i >= M - M % 32 || j >= N - N % 32) continue; {SUM}",
            1,
            ["whole tiles 2/2; edges 2/11", "first wrong: 33 x 32 x 32", "make && ./gemm"],
        ),
    ],
    ids=[
        "prints",
        "skips",
        "exits",
        "writes",
        "crashes",
        "nonsense",
        "wrong-then-crashes",
        "edges",
    ],
)
def test_submission(book: Path, submit: Submit, kernel: str, status: int, says: list[str]) -> None:
    submit(SUM, kernel)
    said = check(book, CPU)
    said.assert_says(status, *says)
    wide = [line for line in said.out.splitlines() if len(line) > 80 and "next: cd" not in line]
    assert wide == []


HEAD = "void gemm("


def test_a_helper_may_be_called_as_what_the_workbook_has(book: Path, submit: Submit) -> None:
    helpers = "".join(
        f"int {name}(void);\nint {name}(void)\n{{\n    return 0;\n}}\n"
        for name in ("verify", "scratch", "main")
    )
    submit(HEAD, helpers + HEAD, includes="")
    check(book, CPU).assert_says(0, PASSED)


def test_a_gemm_that_main_does_not_find(book: Path, submit: Submit) -> None:
    submit(HEAD, f"static {HEAD}", includes="")
    check(book, CPU).assert_says(
        1, "does not build: there is no function gemm in it", "neither static nor inline"
    )


def test_a_submission_older_than_what_was_built(book: Path, submit: Submit) -> None:
    """As files from an archive are."""
    check(book, CPU).assert_says(0, PASSED)
    submit(SUM, "real sum = 1", includes="")
    os.utime(book / CPU / "kernel.c", (1577836800, 1577836800))
    check(book, CPU).assert_says(1, "0 passed, 1 failed, 0 skipped")


def test_a_buffer_of_the_size_of_make_run(book: Path, submit: Submit) -> None:
    kernel = (TOP / "tests/cheats/buffer_of_1024.c").read_text(encoding="utf-8")
    submit((TOP / CPU / "kernel.c").read_text(encoding="utf-8"), kernel, includes="")
    check(book, CPU).assert_says(1, "crashed with signal 11 at 3 x 1100 x 1250")


def test_a_kernel_without_an_end(book: Path, submit: Submit) -> None:
    submit(SUM, ENDLESS)
    check(book, CPU, LIMIT="2").assert_says(1, "no result within 2 s at 32 x 64 x 64")


def test_a_kernel_has_half_of_the_memory_at_most(book: Path, submit: Submit) -> None:
    machine = "sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 30"
    loop = "long blocks = 0; while (blocks < 4096 && malloc(1 << 30)) blocks++;"
    submit(SUM, f"{loop} _exit(blocks < {machine} ? 9 : 8); {SUM}")
    check(book, CPU).assert_says(1, "with status 9")


def test_a_lab_without_a_kernel(book: Path, submit: Submit) -> None:
    submit(SUM, SUM)
    (book / CPU / "kernel.c").unlink()
    check(book, CPU).assert_says(1, "there is no kernel.c")


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        ("real sum = 1;", ["FAIL 0/10 emulated"]),  # nor have those that pass points for speed
        (
            "real many[20000]; for (int i = 0; i < 20000; i++) many[i] = A[0] + i; real sum = "
            "many[K] * 0;",
            ["more than 48 KiB: this kernel needs nvcc"],
        ),
    ],
    ids=["wrong", "large-array"],
)
@pytest.mark.slow
def test_emulated_submission(
    book: Path, kernel_alone: None, submit: Submit, kernel: str, says: list[str]
) -> None:
    submit(f"{SUM};", kernel, "lab09_cuda_shared/kernel.cu", includes="")
    check(book, "lab09_cuda_shared").assert_says(1, *says)


OF_LAB04 = (TOP / "lab04_ocl_naive/params.h").read_text(encoding="utf-8")
OF_LAB07 = (TOP / "lab07_ocl_localmem/params.h").read_text(encoding="utf-8")
SQUARE = "#ifndef TILE\n#define TILE 16"
OWN = {
    "numbers": (
        "lab04_ocl_naive",
        OF_LAB04,
        "#define GROUP_X 32\n#define GROUP_Y 4\n#define TILE_M GROUP_Y\n#define TILE_N GROUP_X\n"
        "#define TILE_K 1\n",
        "GROUP_X",
    ),
    "names": (
        "lab04_ocl_naive",
        OF_LAB04,
        "enum { GROUP_X = 8, GROUP_Y = 8, TILE_M = 8, TILE_N = 8, TILE_K = 1 };\n",
        "GROUP_X",
    ),
    "without-that-of-a-step": (
        "lab07_ocl_localmem",
        OF_LAB07,
        OF_LAB07.replace(SQUARE, "#ifdef NONE").replace("TILE < 1 || TILE > 1024", "0"),
        "TILE",
    ),
}


@pytest.mark.parametrize("name", OWN)
def test_variants_are_not_built_with_a_params_h_of_ones_own(
    book: Path, submit: Submit, name: str
) -> None:
    """They are none of a student's, and are written for other tunables."""
    lab, old, new, gone = OWN[name]
    submit(old, new, f"{lab}/params.h", includes="")
    said = check(book, lab)
    said.assert_says(0, PASSED, f"gemm_published skipped: params.h has no {gone} that make can set")
    own, *variants = recorded(book)["labs"][0]["programs"]
    assert own["verdict"] == "PASS"
    assert {one["verdict"] for one in variants if "_" in one["program"]} == {"SKIP"}
    raced = make(book / lab, "race")
    assert (raced.status, PASSED in raced.out) == (0, True), raced.text


@pytest.mark.parametrize("lab", [path.name for path in labs.every()])
def test_every_variant_is_for_the_params_h_beside_it(lab: str) -> None:
    here = labs.describe(str(labs.named(lab)), [])
    assert [one.name for one in here.programs if "params.h" in (one.skip or "")] == []


def test_the_lab_before_is_broken(book: Path, submit: Submit) -> None:
    submit("include ", "$(error broken here)\ninclude ", "lab04_ocl_naive/Makefile", includes="")
    check(book, "lab05_ocl_coarsen").assert_says(0, "no speed-up: lab04_ocl_naive: broken here")


# ---- one at a time, and no longer than wanted -------------------------------------------------
@pytest.fixture
def lock(book: Path) -> Path:
    (book / "build").mkdir(exist_ok=True)
    return book / "build/check.lock"


def test_one_at_a_time(book: Path, lock: Path) -> None:
    lock.symlink_to(str(os.getpid()))
    try:
        check(book, CPU).assert_says(2, "another one is at work")
    finally:
        lock.unlink()


def test_the_lock_of_one_that_was_killed(book: Path, lock: Path) -> None:
    lock.symlink_to("999999999")
    check(book, CPU).assert_says(0, "1 passed")


def test_a_file_in_place_of_the_folder(bare: Path) -> None:
    (bare / "build").touch()
    said = run(workbook("check", CPU), bare)
    assert said.status == 2
    assert "File exists" in said.err


def lives(process: str) -> bool:
    stat = Path("/proc", process, "stat")
    return stat.exists() and ") Z " not in stat.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_it_ends_all_that_it_began(
    book: Path, submit: Submit, lock: Path, number: signal.Signals
) -> None:
    pid = book / CPU / "pid"
    write = 'FILE *file = fopen("pid.new", "w"); fprintf(file, "%d", (int)getpid()); fclose(file);'
    submit(SUM, f'{write} rename("pid.new", "pid"); {ENDLESS}')
    process = subprocess.Popen(
        workbook("check", CPU),
        cwd=book,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    kernel = await_file(pid)
    pid.unlink()
    process.send_signal(number)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert all(
        re.match("check: .* (left|so far): ", line) for line in said.decode().splitlines()
    ), said
    assert not lives(kernel)
    assert not lock.is_symlink()


def test_progress_is_for_terminals_alone(book: Path) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        workbook("check", CPU),
        cwd=book,
        env=environment(SIZE="64"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert CPU.encode() in shown
    assert b"\r" not in done.stdout


@pytest.mark.parametrize("change", [("", ""), ("    for", "  // mine\n    for")])
def test_the_kernel_of_the_lab_before_is_not_done_yet(clone: Path, change: tuple[str, str]) -> None:
    """Right as it may be: a submission has no mine/ to compare with."""
    text = (clone / "lab01_cpu_naive/kernel.c").read_text()
    (clone / "lab02_avx/kernel.c").write_text(text.replace(*change) if change[0] else text)
    said = make(clone, "check", "LAB=2")
    assert "not done yet: the code of kernel.c is that of lab01_cpu_naive" in " ".join(
        said.out.split()
    )
    assert said.out.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
