# SPDX-License-Identifier: MIT
"""The kernel's process and the one that verifies: what a kernel does in its own reaches no verdict,
and how it ends is told."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.copies import workshop
from tests.support import Result, gemm, kernel, needs, run
from workbook.core.process import run as run_within

NAIVE, PARAMS, BEGIN = "lab01_cpu_naive", '#include "params.h"', "\n{"
HEADERS = "pthread.h signal.h stdio.h stdlib.h sys/mman.h unistd.h".split()
INCLUDES = PARAMS + "".join(f"\n#include <{header}>" for header in HEADERS)
GNU = "CFLAGS=-std=gnu11 -O2 -g"


def broken(
    tree: Path, code: str, *words: str, before: str = "", env: dict[str, str] | None = None
) -> tuple[Result, dict[str, Any]]:
    """A kernel that begins with this code."""
    more = f"{INCLUDES}\n{before}"
    with kernel(tree, NAIVE, PARAMS, f"{more}\n#define BEGINS {code}", GNU) as folder:
        path = folder / "kernel.c"
        path.write_text(path.read_text().replace(BEGIN, f"{BEGIN} BEGINS", 1))
        assert run(["make", "-s", "gemm", GNU], folder).status == 0
        return gemm(folder, *(words or ["33", "29", "9"]), env=env)


PIDS = 'printf("pids %d %d\\n", (int)getpid(), (int)getppid());'


def test_a_kernel_has_a_process_of_its_own(tree: Path) -> None:
    ended, record = broken(tree, PIDS, "--once")
    assert record["verdict"] == "pass"
    pids = re.findall(r"pids (\d+) (\d+)", ended.out)
    assert len(set(pids)) == 1 and pids[0][0] != pids[0][1]
    assert pids[0][1] != str(os.getpid())


def test_alone_it_has_none(tree: Path) -> None:
    ended, record = broken(tree, PIDS, "--once", env={**os.environ, "GEMM_ALONE": "1"})
    assert record["verdict"] == "pass"
    assert re.findall(r"pids \d+ (\d+)", ended.out) == [str(os.getpid())]


def test_a_limit_of_what_it_writes_is_none_of_the_matrices(tree: Path) -> None:
    """The tools allow 100 MiB, and A and B of 4096 x 4096 take more, in a file of memory."""
    folder = workshop(tree, NAIVE)
    assert run(["make", "-s", "gemm"], folder).status == 0
    small = run_within(["./gemm", "16", "400", "400", "--once"], folder, 60, output=1 << 16)
    assert (small.status, small.out.split()[0]) == (0, "PASS")


@pytest.mark.parametrize(
    ("code", "ended", "reason"),
    [
        ("exit(0);", "exit", "the kernel ended the program before its result was verified"),
        ("_exit(77);", "exit", "the kernel ended the program with status 77 before its result"),
        ("abort();", "crash", "crashed with signal 6 at 33 x 29 x 9 (Aborted)"),
        ("raise(SIGKILL);", "crash", "crashed with signal 9 at 33 x 29 x 9 (Killed)"),
        ("*(volatile int *)8 = 1;", "crash", "kernel.c:15 writes where there is no memory"),
        (
            "volatile char all[9000000]; all[0] = 1;",
            "crash",
            "a kernel has 8 MiB of stack, and needs more: larger arrays take malloc",
        ),
        (
            "volatile char *all = malloc(3000000000u); all[0] = 1;",
            "crash",
            "a kernel has 2 GiB of memory, static arrays included, and malloc gave NULL",
        ),
        ("close(4); close(3); for (;;) pause();", "exit", "the kernel ended the program"),
    ],
)
def test_how_it_ends_is_told(tree: Path, code: str, ended: str, reason: str) -> None:
    said, record = broken(tree, code)
    assert (said.status, record["verdict"], record["ended"]) == (1, "fail", ended)
    assert reason in record["reason"] and f"gemm: {record['reason']}\n" in said.err
    assert record["repetitions"] == []


@pytest.mark.parametrize("kind", ["CRASHES", "LEAVES", "DONE"])
def test_a_forged_answer_does_no_harm(tree: Path, kind: str) -> None:
    """Each number is past every table, and no text has an end."""
    before = '#include "guest/guest.h"\n#include <sys/socket.h>\n#include <string.h>'
    forged = f"struct answer a; memset(&a, 255, sizeof a); a.kind = {kind}; a.status = 0;"
    sends = "for (int f = 3; f < 9; f++) send(f, &a, sizeof a, MSG_NOSIGNAL); for (;;) pause();"
    said, record = broken(tree, f"{forged} {sends}", before=before)
    assert (said.status, record["verdict"]) == (1, "fail")


@pytest.mark.slow
def test_a_kernel_without_an_end_is_stopped_and_its_line_is_named(tree: Path) -> None:
    said, record = broken(tree, "for (volatile int n = 1; n; ) ;")
    assert (said.status, record["ended"]) == (1, "limit")
    assert re.search(r"no result within \d+ s at 33 x 29 x 9: kernel.c:15 is at work", said.err)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("((real *)A)[5] = 3;", "input A        kernel.c:15 writes A[5]: a kernel only reads A"),
        (
            "volatile real far = B[1000000]; (void)far;",
            "outside B      kernel.c:15 reads B[1000000]",
        ),
    ],
)
def test_a_stray_access_has_its_line(tree: Path, code: str, says: str) -> None:
    said, record = broken(tree, code)
    assert record["finding"]["kind"] == "outside"
    assert says in said.out


def test_nothing_makes_the_inputs_writable(tree: Path) -> None:
    code = (
        "void *page = (void *)((size_t)A & ~(size_t)4095); "
        "if (mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0) _exit(7);"
    )
    assert broken(tree, code)[1]["verdict"] == "pass"


LATE = """
static struct { int M, N, K; const real *A, *B; real *C; } later;
static void product(int M, int N, int K, const real *A, const real *B, real *C)
{ for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) { real sum = 0;
  for (int k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j]; C[i * N + j] = sum; } }
static void *work(void *unused)
{ usleep(20000); product(later.M, later.N, later.K, later.A, later.B, later.C); return unused; }
""".strip().replace("\n", " ")


def test_who_computes_after_its_answer_is_wrong(tree: Path) -> None:
    """A thread goes on where the kernel has returned, and stands while C is read."""
    code = (
        "later.M = M; later.N = N; later.K = K; later.A = A; later.B = B; later.C = C; "
        "pthread_t thread; pthread_create(&thread, NULL, work, NULL); return;"
    )
    _, record = broken(tree, code, before=LATE)
    assert record["verdict"] == "fail" and record["finding"]["kind"] == "unwritten"


def test_no_kernel_outlives_its_host(tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    code = (
        f'FILE *f = fopen("{file}", "w"); fprintf(f, "%d", (int)getpid()); fclose(f); '
        "kill(getppid(), SIGKILL); for (;;) pause();"
    )
    said, record = broken(tree, code)
    assert (said.status, record["verdict"]) == (-signal.SIGKILL, "incomplete")
    stat = Path(f"/proc/{file.read_text()}/stat")
    assert not stat.exists() or ") Z " in stat.read_text()


def test_callgrind_counts_the_kernel_in_its_process_alone(tree: Path, tmp_path: Path) -> None:
    needs("valgrind")
    with kernel(tree, NAIVE, "real sum = 0", "real sum = 0") as folder:
        words = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={tmp_path}/out.%p"]
        assert run([*words, "./gemm", "16", "--once"], folder).status == 0
    files = [path.read_text() for path in tmp_path.glob("out.*")]
    assert [("fn=(" in text and " gemm\n" in text) for text in files].count(True) == 1
    assert len(files) == 2
