# SPDX-License-Identifier: MIT
"""make grade cannot be fooled: each cheat of tests/cheats ends as it says, and succeeds without the
one defence that it names, so that this one is seen to be needed. Honest kernels pass."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cheating import Kernel, grade, kernels
from tests.classes import answer
from tests.judges import DEFENCES, without
from tests.support import TOP
from workbook.check.refused import asked
from workbook.teacher.grade.compiling.builder import build_tools
from workbook.teacher.grade.compiling.sandbox import Box, require_sandbox, run_inside
from workbook.teacher.grade.grade_lab import Case
from workbook.teacher.grade.judge import judging

CHEATS = kernels("cheats")
# What the references do, too: one of each language.
REFERENCES = [
    Kernel(answer(lab), {"lab": lab, "tools": "yes", **more})
    for lab, more in (
        ("lab02_avx", {"speed": "yes"}),
        ("lab03_avx_block", {}),
        ("lab04_ocl_naive", {}),
        ("lab08_cuda_naive", {}),
    )
]
HONEST = [*kernels("honest"), *REFERENCES]
NEEDED = [kernel for kernel in CHEATS if "off" in kernel.says]


def name(kernel: Kernel) -> str:
    return kernel.name


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    build_tools()
    require_sandbox()


@contextmanager
def harmed(folder: Path) -> Iterator[dict[str, object]]:
    """A file that all may write to, and somebody whom all may call."""
    victim = folder / "victim"
    victim.write_text("still here")
    victim.chmod(0o666)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield {"VICTIM": victim, "PORT": server.getsockname()[1]}


def test_there_are_enough() -> None:
    assert len(CHEATS) >= 40
    assert len(HONEST) >= 12


def test_each_defence_has_a_cheat() -> None:
    ours = {"sandbox", "filter", "limits", "tools", "silenced", "unseen", "verdict"}
    assert {kernel.says["off"] for kernel in NEEDED} == {*DEFENCES, *ours}


@pytest.mark.parametrize("kernel", CHEATS, ids=name)
def test_a_cheat_ends_as_it_says(
    kernel: Kernel, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with harmed(folder) as places:
        record, case = weakened(kernel, kernel.past, folder, monkeypatch, places)
    verdict, reason = re.findall(r"(NOT YET|\S+) ?(.*)", kernel.says["ends"])[0]
    assert (kernel.name == "log_flood") <= len(case.printed) <= 64 << 10, "it is capped"
    assert len(record["printed"]) <= 4000
    assert (record["verdict"], reason in told(record)) == (verdict, True), told(record)
    assert kernel.says.get("robust", "") in robust(record)
    assert kernel.says.get("counted", "") in counted(record)
    assert (folder / "victim").read_text() == "still here"
    if verdict in ("FAIL", "REFUSED"):
        assert record["points"] == 0
        assert record["reason"] != ""
    if not kernel.past and kernel.name not in GREEDY | PROGRAM | ELSEWHERE:
        assert make_check_agrees(record, case)


def weakened(
    kernel: Kernel,
    off: frozenset[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    places: dict[str, object],
) -> tuple[dict[str, Any], Case]:
    """Graded without these defences, those of the judge among them."""
    if of_judge := off & {*DEFENCES}:
        program = str(without(of_judge, folder))
        monkeypatch.setattr(judging, "path_of", lambda _: program)
    return grade(kernel, folder, off - of_judge, **places)


# These would take the memory and the time of who makes them; the lab does not build then, in any
# case.
GREEDY = {"compiler_memory", "compiler_time", "compiler_disk"}

# What a linker or a driver says of a whole program, which make check builds itself.
PROGRAM = {"static_array", "ocl_compiler_time", "ocl_unrolled", "ocl_other_parameters"}

# A file that is there for make check.
ELSEWHERE = {"includes_the_answer"}


def make_check_agrees(record: dict[str, Any], case: Case) -> bool:
    """It asks before the deadline what make grade asks before it runs anything: the same, in the
    same words."""
    assert case.handed is not None
    why = asked(case.terms.lab, case.terms.task, case.handed.files)
    refused = record["verdict"] == "REFUSED" or record["reason"].startswith("does not build")
    words = f"{record['verdict']} {record['reason']}" if refused else ""
    if "switches a sanitizer off" in robust(record):
        words = f"FAIL robust: {robust(record)}"
    return words == (f"{why.verdict} {why.reason}" if why else "")


def told(record: dict[str, object]) -> str:
    return f"{record['verdict']} {record['reason']} {record['finding']}"


def counted(record: dict[str, Any]) -> str:
    return next((str(one["reason"]) for one in record["parts"] if one["name"] == "idea"), "")


def robust(record: dict[str, Any]) -> str:
    return str(record["parts"][1]["reason"])


@pytest.mark.parametrize("kernel", NEEDED, ids=name)
def test_without_its_defence_it_succeeds(
    kernel: Kernel, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = kernel.past | {kernel.says["off"]}
    with harmed(folder) as places:
        record, _ = weakened(kernel, off, folder, monkeypatch, places)
    assert record["verdict"] == "PASS", told(record)
    assert record["points"] == record["possible"]


@pytest.mark.parametrize("kernel", HONEST, ids=lambda kernel: f"{kernel.name}-{kernel.lab[:5]}")
def test_an_honest_kernel_passes(kernel: Kernel, folder: Path) -> None:
    record, case = grade(kernel, folder)
    assert make_check_agrees(record, case)
    wanted = (
        ("PASS", "INCONCLUSIVE") if "speed" in kernel.says else ("PASS",)
    )  # which, is the machine's
    assert record["verdict"] in wanted, told(record)
    assert [part["reason"] for part in record["parts"][:2]] == [
        "",
        "",
    ]  # what it has for speed is the machine's


# The ways to code that is made while a program runs, before it is sealed and after: what each says.
SEALED = """
#define _GNU_SOURCE
#include "lab.h"
#include "seal.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
void exit_with(int status, const char *format, ...) { puts(format); exit(status); }
static void say(void)
{
    static char page[4096] __attribute__((aligned(4096)));
    int all = PROT_READ | PROT_WRITE | PROT_EXEC, file = open("/tmp/code", O_RDWR | O_CREAT, 0700);
    if (file < 0 || ftruncate(file, 4096) != 0)
        exit_with(2, "no file");
    printf("%d ", mmap(NULL, 4096, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    printf("%d ", mprotect(page, sizeof page, all) == 0);
    printf("%d\\n", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) != MAP_FAILED);
}
int main(void) { say(); seal("/tmp"); say(); free(malloc(1 << 24)); }
"""


def test_a_driver_that_is_loaded_loads_no_more_code(folder: Path) -> None:
    (folder / "main.c").write_text(SEALED)
    program, ours = folder / "program", TOP / "grading"
    words = [
        "cc",
        "-D_XOPEN_SOURCE=700",
        "-Dreal=float",
        f"-I{ours}",
        f"-I{TOP}/common",
    ]
    files = [str(ours / "seal.c"), str(folder / "main.c")]
    subprocess.run([*words, "-o", str(program), *files, "-lseccomp"], check=True)
    box = Box("files", ((str(program), "/program"),), system=True)
    said = run_inside(["/program"], box, 20)
    assert (said.out, said.status) == ("1 1 1\n0 0 0\n", 0), said


OF_NO_PROCESS = """
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
int main(void)
{
    printf("%d ", shmget(IPC_PRIVATE, 4096, 0600) >= 0);
    printf("%d ", semget(IPC_PRIVATE, 1, 0600) >= 0);
    printf("%d\\n", msgget(IPC_PRIVATE, 0600) >= 0);
}
"""


def test_no_memory_outlives_its_process(folder: Path) -> None:
    """It would count for nobody, and the machine's is as much as all of them take."""
    (folder / "main.c").write_text(OF_NO_PROCESS)
    program = folder / "program"
    subprocess.run(["cc", "-o", str(program), str(folder / "main.c")], check=True)
    box = Box("compiler", ((str(program), "/program"),), system=True)
    assert run_inside(["/program"], box, 20).out == "0 0 0\n"
    without = Box("compiler", box.files, system=True, without=frozenset({"filter"}))
    assert run_inside(["/program"], without, 20).out == "1 1 1\n"


def test_the_kernel_of_the_lab_before_is_not_done(folder: Path) -> None:
    record, _ = grade(Kernel(answer("lab01_cpu_naive"), {"lab": "lab02_avx"}), folder)
    assert (record["verdict"], record["points"]) == ("FAIL", 0)
    assert record["reason"] == "not done yet: this is the kernel that it begins from"


def test_nothing_is_left_behind(folder: Path) -> None:
    """A process that a kernel starts, and its own that wants no signal when its parent ends."""
    starts = next(kernel for kernel in CHEATS if kernel.name == "another_process")
    record, _ = grade(starts, folder, starts.past | {"filter"})
    assert record["verdict"] == "PASS"
    assert workers(folder) == []


def workers(folder: Path) -> list[str]:
    """Those that have a file of this folder inside."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
            mounts = path.with_name("mountinfo").read_text()
        except OSError:  # it has just ended
            continue
        if words[0] == b"/worker" and folder.name in mounts:
            found.append(path.parent.name)
    return found
