# SPDX-License-Identifier: MIT
"""What course.tsv asks of the counters of make profile: points for what makes a kernel fast, also
where no GPU is."""

from __future__ import annotations

from workbook.core.files import temp_folder
from workbook.lab.course import Task
from workbook.lab.labs import Lab
from workbook.profile.asked import LEAST_SHAPE, Asked, failed, judged, shape, unseen
from workbook.profile.run_counted import profile


def ask(lab: Lab, task: Task, settings: list[str]) -> Asked:
    """Of a kernel that is right."""
    program = lab.programs[0]
    files = [lab.path / name for name in (program.kernel, "params.h")]
    if said := unseen("\n".join(file.read_text(errors="replace") for file in files)):
        return failed(said)
    if lab.type != "float":
        return Asked(None, "counters are asked of float alone")
    size = shape(program.tile or LEAST_SHAPE)
    with temp_folder("counters") as work:
        one = profile(lab, program, settings, [str(number) for number in size], work)
    if one.skip:
        return Asked(None, f"no points for counters: {one.skip}")
    if one.failure or one.wrong:
        return failed(one.failure or "the result is wrong")
    return judged(task, lab.name, one.counts, size)
