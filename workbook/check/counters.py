# SPDX-License-Identifier: MIT
"""The counts by which course.tsv tells the idea of a lab from the one before, where make check
builds and runs: with neither a GPU nor a clock."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from workbook.core.files import temp_folder
from workbook.lab.course import Task
from workbook.lab.labs import Lab
from workbook.profile import asked
from workbook.profile.asked import Asked
from workbook.profile.counts import Count
from workbook.profile.run_counted import missing_tool, profile
from workbook.profile.x86.objdump import disassembled


def ask(lab: Lab, task: Task, settings: list[str]) -> Asked:
    """Of a kernel that is right, and built."""
    if lab.type != "float":
        return Asked(None, "counts are asked of float alone")
    if lab.backend == "cpu" and (why := missing_tool("objdump", "binutils")):
        return Asked(None, f"no points for the idea: {why}")
    files = [lab.path / name for name in (lab.programs[0].kernel, "params.h")]
    text = "\n".join(file.read_text(errors="replace") for file in files)
    return asked.decided(task, lab, text, partial(listing, lab), partial(count, lab, settings))


def count(lab: Lab, settings: list[str], size: tuple[int, int, int]) -> list[Count] | Asked:
    flags = " ".join(asked.COUNTING["opencl"])
    optimized = [f"KERNEL_FLAGS={flags}"] if lab.backend == "opencl" else []
    words = [str(number) for number in size]
    with temp_folder("counters") as work:
        more = [*settings, *optimized]
        one = profile(lab, lab.programs[0], more, words, work, by_engine=True)
    if one.skip:
        return Asked(None, f"no points for the idea: {one.skip}")
    if one.failure.startswith("does not build") and not lab.emulated:
        return Asked(None, f"it cannot be counted: {one.failure}")
    if one.failure or one.wrong:
        return asked.failed(lab.name, one.failure or "the result is wrong")
    return one.counts


def listing(lab: Lab) -> str:
    file = lab.path / "build" / Path(lab.programs[0].kernel).with_suffix(".o")
    return disassembled(file, file.parent)


def machine_code(lab: Lab) -> tuple[dict[str, float], str]:
    """Of a kernel in C that is built: the counts of its inner loop, and where that is."""
    return asked.of_machine_code(listing(lab), lab.programs[0].kernel)
