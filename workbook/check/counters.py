# SPDX-License-Identifier: MIT
"""The counts by which course.tsv tells the idea of a lab from the one before, where make check
builds and runs: with neither a GPU nor a clock."""

from __future__ import annotations

from pathlib import Path

from workbook.core.files import temp_folder
from workbook.lab.course import Task
from workbook.lab.labs import Lab
from workbook.profile import asked
from workbook.profile.asked import Asked
from workbook.profile.run_counted import missing_tool, profile
from workbook.profile.x86.objdump import disassembled


def ask(lab: Lab, task: Task, settings: list[str]) -> Asked:
    """Of a kernel that is right."""
    program, in_c = lab.programs[0], lab.backend == "cpu"
    files = [lab.path / name for name in (program.kernel, "params.h")]
    text = "\n".join(file.read_text(errors="replace") for file in files)
    if not in_c and (said := asked.unseen(text)):
        return asked.failed(lab.name, said)
    if lab.type != "float":
        return Asked(None, "counts are asked of float alone")
    now: dict[str, float] = {}
    line = ""
    if in_c and (why := asked.unreadable() or missing_tool("objdump", "binutils")):
        return Asked(None, f"no points for the idea: {why}")
    if in_c:
        now, line = machine_code(lab)
        if not now:
            return asked.failed(lab.name, "no loop of its machine code multiplies")
    if in_c and task.bounds.keys() <= now.keys():
        return asked.judged(task, lab.name, now, line)
    size = asked.SHAPE_OF_C if in_c else asked.shape(program.tile or asked.LEAST_SHAPE)
    flags = " ".join(asked.COUNTING["opencl"])
    optimized = [f"KERNEL_FLAGS={flags}"] if lab.backend == "opencl" else []
    with temp_folder("counters") as work:
        words = [str(number) for number in size]
        one = profile(lab, program, [*settings, *optimized], words, work, by_engine=True)
    if one.skip:
        return Asked(None, f"no points for the idea: {one.skip}")
    if one.failure.startswith("does not build") and not lab.emulated:
        return Asked(None, f"it cannot be counted: {one.failure}")
    if said := one.failure or (one.wrong and "the result is wrong"):
        return asked.failed(lab.name, said)
    if said := asked.not_seen(one.counts, size):
        return Asked(None, said) if in_c else asked.failed(lab.name, said)
    return asked.judged(task, lab.name, {**now, **asked.per_fma(one.counts, size)}, line)


def machine_code(lab: Lab) -> tuple[dict[str, float], str]:
    """Of a kernel in C that is built."""
    kernel = lab.programs[0].kernel
    file = lab.path / "build" / Path(kernel).with_suffix(".o")
    return asked.of_machine_code(disassembled(file, file.parent), kernel)
