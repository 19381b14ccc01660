# SPDX-License-Identifier: MIT
"""make grade on a machine that does other things, and kernels that are too slow or too large for a
tool."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import cheating
from tests.cheating import Kernel, grade
from tests.grading import endless_stack
from tests.support import TOP
from workbook import UserError
from workbook.teacher.grade.compiling import builder
from workbook.teacher.grade.compiling.builder import build_tools
from workbook.teacher.grade.compiling.sandbox import require_sandbox
from workbook.teacher.grade.judge import judging, robust

__all__ = ["endless_stack"]  # a fixture
PRODUCT = """
#include <stdlib.h>
#include <string.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    BEFORE
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
"""
A_WHILE = "if (K > 700) for (volatile long n = 0; n < 150000000; n++) {}"  # 0.05 to 0.3 s
MUCH = "char *much = malloc(600UL << 20); memset(much, 1, 600UL << 20); C[0] = much[K]; free(much);"


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    build_tools()
    require_sandbox()


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as made:
        Path(made).chmod(0o777)
        yield Path(made)


def kernel(folder: Path, before: str, **says: str) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(PRODUCT.replace("BEFORE", before))
    return Kernel(path, says)


@contextmanager
def busy(others: int) -> Iterator[None]:
    """All that is started here has one core, and so many others on it."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    loop = ["sh", "-c", "while :; do :; done"]
    # Each in a session, as Linux may share a core among sessions (sched_autogroup).
    loops = [subprocess.Popen(loop, start_new_session=True) for _ in range(others)]
    try:
        yield
    finally:
        for process in loops:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, cores)


def test_a_busy_machine_fails_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the processor it takes a fraction of its limit, of the clock on the wall more than four
    times that."""

    def judged(*words: Any) -> tuple[dict[str, Any], str]:
        with busy(40):
            record, printed = verify(*words)
        at_one_row = any(shape["M"] == 1 and shape["K"] > 1000 for shape in record["shapes"])
        assert at_one_row or words[1].plan == "anew"
        return record, printed

    verify = judging.verify

    monkeypatch.setattr(cheating, "CALL", 0.8)
    monkeypatch.setattr(judging, "verify", judged)
    record, _ = grade(
        kernel(
            folder, "static int once;" + A_WHILE.replace("K > 700", "M == 1 && K > 1000 && !once++")
        ),
        folder,
    )
    assert (record["verdict"], record["at"]) == ("PASS", None), record["reason"]


def test_all_calls_together_have_a_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was right by then counts."""
    monkeypatch.setitem(judging.JUDGED, "shapes", 0.2)
    record, _ = grade(kernel(folder, A_WHILE.replace("K > 700", "M == 1 || N == 1")), folder)
    assert record["verdict"] in ("PARTIAL", "FAIL")
    assert "all runs together take more than 0.2 s" in record["reason"]


def test_too_slow_for_a_tool_is_no_finding(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robust, "CALL", 0.05)  # on a CPU, a fifth of it
    a_while = A_WHILE.replace("150000000", "900000000")
    record, _ = grade(kernel(folder, a_while, tools="yes"), folder)
    assert (record["verdict"], record["parts"][1]["reason"]) == ("PASS", ""), record["parts"]
    assert record["tools"] == ["ASan+UBSan", "valgrind"]
    assert [(note["text"], note["odd"]) for note in record["notes"] if note["kind"] == "tools"] == [
        (
            "not seen to its end by ASan+UBSan, valgrind: too slow, too large, or nothing that can "
            "be built for it",
            True,
        )
    ]


def test_too_large_for_valgrind_is_no_finding(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes more for a kernel than the kernel does."""
    monkeypatch.setattr(robust, "MOST", 100)  # MiB
    record, _ = grade(kernel(folder, "", tools="yes"), folder)
    assert (record["verdict"], record["parts"][1]["reason"]) == ("PASS", ""), record["parts"]
    assert "not seen to its end by valgrind" in str(record["notes"])


def test_memory_is_limited_under_a_tool(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robust, "MOST", 400)  # MiB
    record, _ = grade(
        kernel(folder, f"if (M < 6 && N < 4 && K < 8) {{ {MUCH} }}", tools="yes"), folder
    )
    assert (record["verdict"], record["parts"][0]["reason"]) == ("PARTIAL", ""), record["reason"]
    assert "takes more than 400 MiB of memory" in record["parts"][1]["reason"]


# ---- memory, as in make check: tests/check/test_check_memory.py ----------------------------------
REFUSED = "a kernel has 2 GiB of memory, static arrays included, and malloc gave NULL"


@pytest.mark.parametrize(
    "asks",
    [
        "static char *kept; if (kept == NULL) kept = malloc(2UL << 30); kept[M] = 1;",
        "static char of[1 << 30], *kept; if (kept == NULL) kept = malloc(1UL << 30);"
        "    of[M] = kept[M] = 1;",
    ],
)
def test_a_kernel_has_as_much_memory_as_the_page_says(folder: Path, asks: str) -> None:
    record, _ = grade(kernel(folder, asks, tools="yes"), folder)
    assert (record["verdict"], record["parts"][1]["reason"]) == ("PASS", ""), record["parts"]


def test_a_kernel_that_is_refused_memory_is_told(folder: Path) -> None:
    asks = "volatile char *much = malloc(3UL << 30); much[M] = 1; free((void *)much);"
    record, _ = grade(kernel(folder, asks, tools="yes"), folder)
    right, robust = (part["reason"] for part in record["parts"][:2])
    assert record["verdict"] == "FAIL"
    assert REFUSED in right
    assert robust == "line 6, ASan+UBSan: malloc gave NULL: a kernel has 2 GiB of memory"


def test_what_is_refused_is_told_of_a_kernel_that_asks_whether_it_was(folder: Path) -> None:
    asks = "char *volatile much = malloc(3UL << 30); if (much == NULL) return; free(much);"
    record, _ = grade(kernel(folder, asks), folder)
    assert record["verdict"] == "FAIL"
    assert REFUSED in record["reason"]


def test_a_kernel_has_the_same_stack_whatever_the_shell_says(
    folder: Path, endless_stack: None
) -> None:
    asks = "volatile char much[16 << 20]; much[M] = much[(16 << 20) - N] = 0;"
    record, _ = grade(kernel(folder, asks), folder)
    assert record["verdict"] == "FAIL"
    assert "a kernel has 8 MiB of stack, and needs more" in record["reason"]


def test_nothing_is_graded_with_less_of_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _which: (4 << 20, 4 << 20))
    with pytest.raises(UserError, match="limited to 4096 KiB here, and a kernel has 8192: nothing"):
        require_sandbox()


def test_the_judge_has_as_much_patience_as_who_waits_for_it() -> None:
    """By the wall clock, of one call and of all: a call that may still go on must not be cut
    off."""
    said = re.search(r"\bPATIENCE = (\d+)", (TOP / "guest/process.c").read_text())
    assert said is not None and int(said[1]) == builder.PATIENCE


def test_after_two_kinds_of_shape_without_an_end_nothing_is_tried(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[str] = []
    verdicts: list[str] = []

    def judge(worker: Any, asked: judging.Asked) -> tuple[dict[str, Any], str]:
        record, printed = verify(worker, asked)
        plans.append(asked.plan)
        verdicts.extend(shape["verdict"] for shape in record["shapes"])
        return record, printed

    verify = judging.verify
    monkeypatch.setattr(judging, "verify", judge)
    monkeypatch.setattr(robust, "verify", judge)
    endless = TOP / "tests/cheats/endless_loop.c"
    record, _ = grade(Kernel(endless, {"call": "0.3", "tools": "yes"}), folder)
    assert plans == ["shapes"]
    assert {*verdicts} == {"limit", "skipped"} and verdicts.count("limit") == 2
    assert record["parts"][1]["reason"] == "not looked at: a call takes too long"
