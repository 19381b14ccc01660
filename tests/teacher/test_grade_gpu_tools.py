# SPDX-License-Identifier: MIT
"""compute-sanitizer in a sandbox, where there is no GPU: one of our own stands in its place, as
strict as its manual (it takes no option that the manual has not, says to stdout what it found, and
that at its end), around a worker whose kernel is emulated."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cheating import SEED, described
from tests.classes import answer
from tests.support import TOP
from workbook import UserError
from workbook.handin.bench import Unfit
from workbook.lab.course import Task
from workbook.race.tools import for_device, for_engine
from workbook.teacher.grade.compiling.builder import Work, build_tools
from workbook.teacher.grade.judge import robust
from workbook.teacher.grade.judge.judging import Asked
from workbook.teacher.grade.judge.robust import Robust
from workbook.teacher.grade.judge.workers import make

LAB = "lab08_cuda_naive"
CHECKS = ("memcheck", "racecheck", "synccheck", "initcheck")
ASKED = Asked("few", SEED, SEED, 48)
IN = "at gemm(int, int, int, const float *, const float *, float *)+0x420 in /lab/kernel.cu"
SAID = {
    "memcheck": f"Invalid __global__ read of size 4 bytes\n    {IN}:9\n",
    "racecheck": f"Error: Race reported between Read access {IN}:12\n"
    f"    and Write access {IN}:10 [2048 hazards]\n",
    "synccheck": f"Barrier error detected. Divergent thread(s) in block.\n    {IN}:11\n",
    "initcheck": f"Uninitialized __global__ memory read of size 4 bytes\n    {IN}:14\n",
}
# What it says is in its own memory until it ends, as stdout is where that is a file.
STAND_IN = """#!/usr/bin/python3 -IS
import argparse, subprocess, sys
parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--tool", choices=("memcheck", "racecheck", "synccheck", "initcheck"))
parser.add_argument("--error-exitcode", type=int, default=0)
parser.add_argument("command", nargs=argparse.REMAINDER)
options = parser.parse_args()
said = {said}.get(options.tool, "")
lines = ["COMPUTE-SANITIZER", *said.splitlines()]
if {looks}:
    status = subprocess.run(options.command, close_fds=False).returncode
    lines.append(f"ERROR SUMMARY: {{int(said != '')}} errors")
else:
    status = 1
    lines.append("Error: no device is supported")
print("\\n".join("========= " + line for line in lines))
sys.exit(options.error_exitcode if said and status == 0 else status)
"""
PRINTS = f"""#include <cstdio>
{answer(LAB).read_text()}""".replace(
    "        C[row * N + col] = sum;",
    """        C[row * N + col] = sum;
    for (int line = 0; row + col == 0 && line < 20000; line++)
        printf("========= Invalid __global__ read of size 4 bytes\\n=========     at gemm in "
               "/lab/kernel.cu:3\\n");""",
)
Look = Callable[..., Robust]


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Iterator[Look]:
    """What is said of a kernel by a tool that finds so much, and looks or does not."""
    build_tools()
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as folder:
        tool = Path(folder, "compute-sanitizer")
        Path(folder).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        monkeypatch.setattr(robust, "on_gpu", lambda _: True)

        def looked(
            kernel: str, said: dict[str, str], looks: bool = True, emulation: bool = False
        ) -> Robust:
            tool.write_text(STAND_IN.format(said=json.dumps(said), looks=looks))
            tool.chmod(0o755)
            every = (for_engine(described(LAB), short=False) if emulation else []) + for_device()
            monkeypatch.setattr(robust, "tools", lambda *_, **__: every)
            place = Path(tempfile.mkdtemp(dir=folder))
            place.chmod(0o755)
            work = Work(described(LAB), Task(8, 2, None, 0, 1, ""), place / "work")
            worker = make(work, {"kernel.cu": kernel.encode()})
            files = (*worker.box.files, (str(tool), str(tool)))
            box = replace(worker.box, files=files, system=True, memory=None)
            return robust.look(work, replace(worker, box=box), ASKED)

        yield looked


def test_a_sound_kernel_is_seen_by_each(look: Look) -> None:
    assert look(answer(LAB).read_text(), {}) == Robust("", CHECKS)


@pytest.mark.parametrize(
    ("check", "says"),
    [
        ("memcheck", "line 9, memcheck: out of bounds: reads outside global memory"),
        ("racecheck", "line 10, racecheck: data race"),
        ("synccheck", "line 11, synccheck: barrier divergence"),
        ("initcheck", "line 14, initcheck: uninitialized: uses memory"),
    ],
)
def test_what_it_says_at_its_end_is_read(look: Look, check: str, says: str) -> None:
    """The judge does not end it before."""
    found = look(answer(LAB).read_text(), {check: SAID[check]})
    assert found.found.startswith(says), found
    assert found.tools == CHECKS[: CHECKS.index(check) + 1]


def test_what_a_kernel_prints_is_not_what_the_tool_says(look: Look) -> None:
    """Nor has it any room of the report: some MiB are printed."""
    assert look(PRINTS, {}) == Robust("", CHECKS)
    assert "racecheck: data race" in look(PRINTS, {"racecheck": SAID["racecheck"]}).found


def test_a_wrong_result_is_told(look: Look) -> None:
    kernel = answer(LAB).read_text().replace("= sum;", "= sum + 1;")
    found = look(kernel, {}).found
    first = "memcheck: the result is wrong at 1 x 1 x 1; no access"
    assert found.startswith(first) and found.endswith("no race")


def test_a_tool_that_does_not_look_finds_nothing_out(look: Look) -> None:
    """A driver that it does not know, say: that is nobody's mark."""
    with pytest.raises(UserError, match="memcheck does not come to its summary: Error: no device"):
        look(answer(LAB).read_text(), {}, looks=False)


@pytest.mark.parametrize(
    ("cheat", "says"),
    [
        ("diverges", "line 14, emulation: barrier divergence"),
        ("cuda_unset_sum", "emulation: the result is wrong"),
    ],
)
def test_the_emulation_sees_what_a_gpu_does_not_tell(look: Look, cheat: str, says: str) -> None:
    """Its threads that have ended count as those that wait at a barrier; and its registers are
    often zero."""
    kernel = (TOP / f"tests/cheats/{cheat}.cu").read_text()
    assert look(kernel, {}, emulation=True).found.startswith(says)


def test_what_the_emulation_cannot_build_is_no_mistake_on_a_gpu(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object) -> None:
        raise Unfit("FAIL", "does not build: an instruction of one GPU")

    monkeypatch.setattr(robust, "build_for_tool", unknown)
    emulated = ("emulation", "ASan+UBSan", "TSan")
    found = look(answer(LAB).read_text(), {}, emulation=True)
    assert found == Robust("", (*emulated, *CHECKS), emulated)
