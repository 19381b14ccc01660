# SPDX-License-Identifier: MIT
"""The lab with ranks: right on every shape with any number of them; a broken kernel is caught;
whatever goes wrong in one rank, there is one line, a status, and nobody left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.copies import changed
from tests.support import TIMED_OUT, Result, edit, environment, make, needs, run
from workbook.core.records import RUN, read
from workbook.lab import labs
from workbook.lab.program import FAIL, run_program
from workbook.lab.ranks import ENVIRONMENT, mpirun
from workbook.race.run_tools import run_tool
from workbook.race.tools import for_cpu

LAB = "advanced/lab21_mpi"
SMALL = ("BLOCK_M=12", "BLOCK_N=32", "BLOCK_K=16")  # so that a small problem has many panels


@pytest.fixture(scope="module")
def lab(tree: Path) -> Path:
    """With small blocks."""
    needs("mpicc")
    needs("mpirun")
    assert make(tree / LAB, "all", *SMALL).status == 0
    return tree / LAB


def ranks(
    lab: Path, many: int, *words: str, program: str = "gemm"
) -> tuple[Result, dict[str, Any]]:
    path = lab / "record.json"
    path.unlink(missing_ok=True)
    ended = run([*mpirun(many), lab / program, *words, "--json", path], lab, 100, ENVIRONMENT)
    return ended, read(path, RUN) if path.exists() else {}


@pytest.mark.parametrize("program", ["gemm", "gemm_blocking"])
@pytest.mark.parametrize("many", [1, 2, 3, 4, 5, 6, 7, 12])
def test_is_right_on_every_shape_with_any_number_of_ranks(
    lab: Path, many: int, program: str
) -> None:
    ended, record = ranks(lab, many, "--check", program=program)
    assert (ended.status, record["verdict"], ended.err) == (0, "pass", ""), ended.text
    assert [shape["verdict"] for shape in record["shapes"]] == ["pass"] * 33
    assert record["ranks"]["count"] == many == record["ranks"]["rows"] * record["ranks"]["columns"]


@pytest.mark.parametrize("size", [(40, 3, 50), (40, 50, 3), (1, 1, 1), (61, 67, 71)])
def test_more_ranks_than_rows_or_columns(lab: Path, size: tuple[int, ...]) -> None:
    ended, record = ranks(lab, 16, *map(str, size), "--once")
    assert (ended.status, record["verdict"]) == (0, "pass"), ended.text


# ---- broken kernels ---------------------------------------------------------------------------
# Of each mistake what the program may say. Who waits for nobody has MPI write into memory that is
# free again.
WAITS = "        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);\n"
SENDS_B = "    MPI_Ibcast(b, "
SLEEPS = """\
    if (grid.row == p.row)
        thrd_sleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
"""
END = "    free(memory);"
BROKEN = {
    "the-last-panel-is-dropped": ("k < K; k += p.depth", "k + p.depth < K; k += p.depth", "wrong"),
    "the-wrong-root": ("MPI_FLOAT, p.row, grid", "MPI_FLOAT, 0, grid", "wrong"),
    "nobody-waits": (WAITS, "", "wrong or ended"),
    "one-buffer-for-both": (
        "float *a[] = {memory, memory + a_size}",
        "float *a[] = {memory, memory}",
        "wrong",
    ),
    "a-panel-passes-its-owner": ("min(BLOCK_K, past - k)", "min(BLOCK_K, K - k)", "wrong or ended"),
    "the-first-panel-is-added": ("C, k == 0)", "C, 0)", "wrong"),
    "writes-beside-its-part": (END, f"    C[m * n] = 1;\n{END}", "outside"),
    "changes-its-part-of-a": (
        END,
        f"    if (m > 0)\n        ((real *)A)[0] += 1;\n{END}",
        "changed",
    ),
}


@pytest.fixture
def broken(lab: Path) -> Iterator[Any]:
    """broken(OLD, NEW): a kernel that has another text."""
    kernel = lab / "kernel.c"
    was = kernel.read_text()

    def change(old: str, new: str) -> Path:
        edit(kernel, old, new)
        built = make(lab, "gemm", *SMALL)
        assert built.status == 0, built.text
        return lab

    yield change
    kernel.write_text(was)
    assert make(lab, "all", *SMALL).status == 0


def what_is_said(ended: Result, finding: dict[str, Any]) -> set[str]:
    words = {name for name in ("outside", "changed") if any(finding.get(name, {}).values())}
    wrong = {"wrong"} if finding.get("wrong") else set()
    return words | wrong | (set() if ended.status in (0, 1, 77, TIMED_OUT) else {"ended"})


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_kernel_is_caught(broken: Any, mistake: str) -> None:
    old, new, says = BROKEN[mistake]
    ended, record = ranks(broken(old, new), 6, "--check")
    assert ended.status not in (0, 77, TIMED_OUT), ended.text
    assert what_is_said(ended, record["finding"] or {}) & set(says.split()), ended.text


def test_a_message_that_nobody_waits_for_is_named(lab: Path, broken: Any) -> None:
    """What such a buffer held before is seen as what C held before: the cause must not name C
    alone."""
    kernel = lab / "kernel.c"
    edit(kernel, "#include <string.h>", "#include <string.h>\n#include <threads.h>")
    edit(kernel, SENDS_B, SLEEPS + SENDS_B)  # or it may come in time, by chance
    broken(WAITS, WAITS.replace("2", "1"))
    ended, record = ranks(lab, 6, "61", "67", "71")
    finding = record["finding"]
    assert (ended.status, finding["kind"]) in ((1, "race"), (1, None)), ended.text
    assert finding["kind"] is None or re.search(r"message waited for|run to run", finding["cause"])


def test_ranks_that_wait_for_each_other_are_a_loop_or_that(broken: Any) -> None:
    lab = broken(
        WAITS, f"        if (grid.rank == 1)\n            MPI_Barrier(grid.row_comm);\n{WAITS}"
    )
    assert make(lab, "gemm", *SMALL, "RANKS=4").status == 0
    result = run_program(lab, "gemm", ["100", "--once"], 5)
    assert result.verdict == FAIL
    assert result.reason.endswith(": a loop that does not end, or a message that nobody sends?")


# ---- when a rank fails ------------------------------------------------------------------------
# In one rank of six, or in the first: what it does, the status, and the one line, if there is one.
ENDS = {
    "exits": ("exit(0)", 1, "gemm: the kernel ended rank {rank} before its result was verified"),
    "crashes": ("__builtin_trap()", 132, "gemm: rank {rank} crashed: make race looks for the line"),
    "errs": (
        "MPI_Bcast(a[0], 1, MPI_FLOAT, 99, grid.row_comm)",
        1,
        "gemm: rank {rank}: MPI_ERR_ROOT: invalid root",
    ),
}


@pytest.mark.parametrize("rank", [0, 4])
@pytest.mark.parametrize("how", ENDS)
def test_one_rank_ends_all(broken: Any, how: str, rank: int) -> None:
    does, status, line = ENDS[how]
    lab = broken(WAITS, f"        if (grid.rank == {rank} && k > 0)\n            {does};\n{WAITS}")
    start = time.monotonic()
    ended, _ = ranks(lab, 6, "100", "--once")
    assert (ended.status, ended.err.strip()) == (status, line.format(rank=rank)), ended.text
    assert time.monotonic() - start < 60
    assert left_behind(lab) == []


def test_a_rank_without_memory_for_the_panels(broken: Any) -> None:
    lab = broken("allocate(2 * (a_size", "allocate(grid.rank == 2 ? (size_t)1 << 60 : 2 * (a_size")
    ended, record = ranks(lab, 3, "100", "--once")
    reason = "a rank has no memory for the panels: choose a smaller size, or more ranks"
    assert (ended.status, ended.err) == (2, f"gemm: {reason}\n")
    assert (record["verdict"], record["reason"]) == ("error", reason)
    assert left_behind(lab) == []


def left_behind(lab: Path) -> list[str]:
    """Processes of a program of this lab, some time after its end."""
    end = time.monotonic() + 20
    while found := run(["pgrep", "-f", f"{lab}/gemm"], lab).out.split():
        if time.monotonic() > end:
            break
        time.sleep(0.2)
    return found


@pytest.mark.parametrize("words", ["--reps x", "--wrong", "1 2", "1000000", "100 --csv /nowhere/x"])
def test_bad_usage_is_one_line(lab: Path, words: str) -> None:
    ended = run([*mpirun(3), "./gemm", *words.split()], lab, 100, ENVIRONMENT)
    assert ended.status == 2, ended.text
    assert re.fullmatch(r"gemm: [^\n]+\n", ended.err), ended.text
    assert ended.out == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_mpirun_leaves_nobody(lab: Path, number: int) -> None:
    command = [*mpirun(3), f"{lab}/gemm", "3000", "--reps", "1000"]
    process = subprocess.Popen(
        command,
        cwd=lab,
        env=environment(**ENVIRONMENT),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while len(run(["pgrep", "-f", f"{lab}/gemm"], lab).out.split()) < 4 and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(number)
    process.wait(timeout=60)
    assert left_behind(lab) == []


# ---- by itself, and by the tools --------------------------------------------------------------


def test_without_mpirun_it_says_what_to_do(lab: Path) -> None:
    ended = run(["./gemm", "50"], lab, 100, {"PATH": "/nowhere"})
    assert ended.status == 2
    assert (
        ended.err
        == "gemm: cannot run mpirun, which starts the ranks: run ./setup mpi, or add it to PATH\n"
    )


def test_without_mpi_it_is_skipped(clone: Path) -> None:
    edit(
        clone / "advanced/common/advanced.mk",
        "$(shell mpicc -show 2>/dev/null)",
        "$(shell no-mpicc -show 2>/dev/null)",
    )
    assert make(clone / LAB, "all").status == 0
    ended = run(["./gemm"], clone / LAB)
    assert (ended.status, ended.err) == (
        77,
        "gemm: skipped: no MPI, whose compiler is mpicc: run ./setup mpi\n",
    )
    checked = make(clone / LAB, "check")
    assert "SKIP" in checked.out and "run ./setup mpi" in checked.out, checked.text


# ---- on a cluster -----------------------------------------------------------------------------
SRUN = """#!/bin/sh
echo "$@" >srun.asked
while [ "${1#--}" != "$1" ]; do shift; done
exec mpirun -n 3 "$@"
"""


def test_the_job_of_a_cluster(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "srun").write_text(SRUN)
    (tmp_path / "srun").chmod(0o755)
    job = {
        "SLURM_SUBMIT_DIR": str(lab),
        "SLURM_JOB_ID": "7",
        "SLURM_PROCID": "0",
        "MPI_TYPE": "pmi2",
    }
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = run([lab / "slurm.sh", "200"], tmp_path, 200, {**ENVIRONMENT, **job, **path})
    assert ended.status == 0, ended.text
    record = read(lab / "gemm-7.json", RUN)
    assert (record["verdict"], record["ranks"]["count"]) == ("pass", 3)
    asked = (lab / "srun.asked").read_text()
    assert asked == "--mpi=pmi2 --cpu-bind=cores ./gemm 200 --json gemm-7.json\n"
    outside = run([lab / "slurm.sh"], tmp_path)
    assert outside.status != 0 and "is set by sbatch: sbatch slurm.sh" in outside.err


# ---- make race --------------------------------------------------------------------------------
RACES = {
    "reads-past-a": ("a[i * p.depth], &A", "a[i * p.depth], 1 + &A", "bounds"),
    "sends-past-its-panel": ("m * p.depth, MPI_FLOAT", "m * p.depth + 9999, MPI_FLOAT", "bounds"),
    "leaks": (END, "", "leak"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "mistake"),
    [(0, None), *((0, name) for name in RACES), (1, None), (1, "sends-past-its-panel")],
)
def test_race_names_the_line(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str | None, tool: int
) -> None:
    needs("valgrind")
    kernel = lab / "kernel.c"
    text = kernel.read_text()
    old, new, kind = ("", "", None) if mistake is None else RACES[mistake]
    assert old in text
    described = labs.describe(str(lab), [])
    if mistake is None:  # a right one takes four ranks under valgrind a minute
        monkeypatch.setattr("workbook.race.tools.RANKS", 2)
    with changed(kernel, text.replace(old, new, 1)):
        looks = for_cpu(described)[tool]
        said = run_tool(looks, described, described.programs[0], [], tmp_path, False, False, False)
    assert (said.verdict, said.finding and said.finding.kind) == (
        "FAIL" if kind else "PASS",
        kind,
    ), said
    if said.finding is not None:
        assert said.finding.line is not None


LATE = """\
    int many = m * n, to = 1 - grid.rank;
    float *copy = malloc((size_t)many * 4), *other = malloc((size_t)many * 4);
    MPI_Request late[2];
    memcpy(copy, C, (size_t)many * 4);
    memset(C, 0xff, (size_t)many * 4);
    MPI_Irecv(C, many, MPI_FLOAT, to, 1, MPI_COMM_WORLD, &late[0]);
    MPI_Sendrecv(copy, many, MPI_FLOAT, to, 2, other, many, MPI_FLOAT, to, 2, MPI_COMM_WORLD, NULL);
    MPI_Isend(other, many, MPI_FLOAT, to, 1, MPI_COMM_WORLD, &late[1]);
"""


def test_what_arrives_after_the_kernel_is_no_result(broken: Any) -> None:
    lab = broken(END, LATE + END)
    ended, record = ranks(lab, 2, "1024", "--once")
    assert (ended.status, record["verdict"]) == (1, "fail"), ended.text


def test_tasks_of_srun_that_mpi_does_not_connect(lab: Path) -> None:
    ended = run(["./gemm", "50"], lab, 100, {"SLURM_STEP_NUM_TASKS": "4", **ENVIRONMENT})
    assert ended.status == 2
    assert (
        ended.err
        == "gemm: srun started 4 tasks that MPI does not connect: srun --mpi=pmix (or pmi2)\n"
    )
