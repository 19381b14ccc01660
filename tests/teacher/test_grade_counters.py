# SPDX-License-Identifier: MIT
"""make grade counts in its sandbox, and says of a kernel what make check says of it. What a cheat
gets is in tests/cheats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cheating import Kernel, grade
from tests.copies import changed
from tests.support import TOP
from workbook.check.counters import ask
from workbook.handin.compile import OF_C_NAMES
from workbook.lab import labs
from workbook.lab.course import Task
from workbook.teacher.grade.compiling.builder import build_tools
from workbook.teacher.grade.compiling.sandbox import require_sandbox
from workbook.teacher.grade.judge.counters import COUNTING

SHARED = "sectors<=8 conflicts=0 shared>=0.1"
KERNELS = {
    "uncoalesced.cu": ("lab08_cuda_naive", "sectors<=8"),
    "strided.cl": ("lab04_ocl_naive", "sectors<=8"),
    "conflicts.cu": ("lab09_cuda_shared", SHARED),
}


def test_it_compiles_as_make_check_does() -> None:
    """But for branches, which no bound asks for: a float4 would be four accesses else."""
    for backend, file, before in ("cuda", "emulation.mk", []), ("opencl", "engine.mk", ["-O0"]):
        text = (TOP / "make" / file).read_text(encoding="utf-8")
        flags = re.findall(
            r"(?<= )-O\d|-f[\w=-]+", text.partition("ifneq ($(COUNT),)")[2].partition("else")[0]
        )
        flags = [*before, *(flag for flag in flags if "coverage" not in flag)]
        assert flags == COUNTING[backend]
        assert not before or "$(if $(SAN)$(COUNT),-O0," in text


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_it_says_what_make_check_says(tree: Path, folder: Path, name: str) -> None:
    build_tools()
    require_sandbox()
    lab, counters = KERNELS[name]
    path = TOP / "tests/profile/slow" / name
    record, _ = grade(Kernel(path, {"lab": lab, "counters": counters}), folder)
    [part] = [part for part in record["parts"] if part["name"] == "counters"]
    there = tree / lab
    task = Task(8, 2, None, 0, 1, "", 3, counters)
    with changed(there / f"kernel{path.suffix}", path.read_text(encoding="utf-8")):
        said = ask(labs.describe(str(there), []), task, [])
    assert (part["points"], part["possible"], part["reason"]) == (0, 3, said.said)
    assert said.held is False
    assert (record["verdict"], record["points"], record["possible"]) == ("PASS", 10, 13)


def test_a_kernel_keeps_the_same_names_to_itself_as_in_make() -> None:
    text = (TOP / "make/emulation.mk").read_text(encoding="utf-8")
    words = re.search(r"^c_names += (.*)$", text, re.MULTILINE)
    assert words is not None
    assert tuple(words[1].split()) == OF_C_NAMES
