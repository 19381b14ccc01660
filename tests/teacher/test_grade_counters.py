# SPDX-License-Identifier: MIT
"""make grade counts in its sandbox, and says of a kernel what make check says of it. What a cheat
gets is in tests/cheats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cheating import Kernel, grade
from tests.copies import changed
from tests.ideas import Way, ways
from tests.support import TOP
from workbook.check.counters import ask
from workbook.handin.compile import BOUNDS, OF_C_NAMES, TO_ENGINE
from workbook.lab import labs
from workbook.lab.course import Task, read_course
from workbook.profile.asked import COUNTING
from workbook.teacher.grade.compiling.builder import build_tools
from workbook.teacher.grade.compiling.sandbox import require_sandbox

KERNELS = [
    ("lab08_cuda_naive", "slow/uncoalesced.cu", "sectors<=8"),
    ("lab04_ocl_naive", "slow/strided.cl", "sectors<=8"),
    ("lab09_cuda_shared", "slow/conflicts.cu", "share>=0.1 conflicts=0"),
    *((way.lab, way, read_course()[way.lab].limits) for way in ways() if str(way) in (
        "lab02-1 lab02-12 lab03-4 lab03-6 lab03-13 lab03-15 lab06-7 lab07-10 lab07-12".split()
    )),
]  # fmt: skip


def test_it_compiles_as_make_check_does() -> None:
    """But for branches, which no limit asks for: a float4 would be four accesses else. OpenCL takes
    these flags from there."""
    for backend, file in ("cuda", "emulation.mk"), ("cpu", "c.mk"):
        text = (TOP / "make" / file).read_text(encoding="utf-8")
        told = text.partition("ifneq ($(COUNT),)")[2].partition("endif")[0].partition("else")[0]
        words = re.findall(r"(?<= )-O\d|-f[\w=-]+|-include", told.partition("KERNEL_FLAGS")[2])
        flags = [word for word in words if "coverage" not in word]
        assert flags == [word for word in COUNTING[backend] if word.startswith("-")]


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "kernel", "limits"), KERNELS, ids=str)
def test_it_says_what_make_check_says(
    tree: Path, folder: Path, lab: str, kernel: str | Way, limits: str
) -> None:
    build_tools()
    require_sandbox()
    there = tree / lab
    own = next(there.glob("kernel.c*"))
    path = folder / own.name
    in_file = TOP / "tests/profile" / kernel if isinstance(kernel, str) else None
    path.write_text(in_file.read_text() if in_file else str(getattr(kernel, "text", "")))
    record, _ = grade(Kernel(path, {"lab": lab, "counters": limits}), folder)
    [part] = [part for part in record["parts"] if part["name"] == "idea"]
    task = Task(8, 2, None, 0, 1, "", 3, limits)
    with changed(own, path.read_text()):
        described = labs.describe(str(there), [])
        if described.backend == "cpu":
            assert labs.build(described, ["gemm"], ["CI="]) is None
        said = ask(described, task, ["CI="])
    has = isinstance(kernel, Way) and kernel.has_idea
    assert (said.held, bool(said.said)) == (has, not has)
    assert (part["points"], part["possible"], part["reason"]) == (3 * has, 3, said.said)
    verdict = "PASS" if has else "NOT YET"
    assert (record["verdict"], record["points"]) == (verdict, 10 + 3 * has), record["reason"]
    assert record["reason"] == said.said


def test_a_kernel_keeps_the_same_names_to_itself_as_in_make() -> None:
    text = (TOP / "make/emulation.mk").read_text(encoding="utf-8")
    words = re.search(r"^c_names += (.*)$", text, re.MULTILINE)
    assert words is not None
    assert tuple(words[1].split()) == OF_C_NAMES
    assert " ".join(BOUNDS) in text
    assert " ".join(TO_ENGINE) in text
