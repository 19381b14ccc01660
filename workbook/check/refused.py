# SPDX-License-Identifier: MIT
"""What make grade would refuse, before the deadline: the same questions, of a compiler that runs as
the student whose kernel it is."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass

from workbook import TOP
from workbook.core.files import temp_folder
from workbook.core.process import run
from workbook.handin.bench import (
    DISK,
    MEMORY,
    SECONDS,
    Bench,
    Step,
    Unfit,
    lay_out,
    translate,
    unbuilt,
)
from workbook.handin.compile import silenced
from workbook.handin.file import complaint_of_file
from workbook.handin.take import take
from workbook.lab.course import Task, read_course
from workbook.lab.labs import IN_PROGRAM, Lab
from workbook.lab.program import SKIP

TOOLS = ("cc", "nm", "objcopy", "awk")


@dataclass(frozen=True)
class Desktop(Bench):
    """No sandbox: who compiles here has written it."""

    def build(self, *steps: Step) -> None:
        for step in steps:
            self.take(step)

    def take(self, step: Step) -> None:
        places = (*self.places, (str(self.built), "/out"))
        words = [translate(word, places) for word in step.command]
        settings = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTHON": sys.executable}
        ended = run(words, self.folder, SECONDS, settings, MEMORY, output=DISK)
        out, err = (said.replace(f"{self.folder}/", "/") for said in (ended.out, ended.err))
        outcome = ended._replace(out=out, err=err)
        if outcome.timed_out:
            raise Unfit("REFUSED", f"the compiler needs more than {SECONDS:g} s for it")
        if outcome.status != 0:
            raise unbuilt(step, outcome)


def refusal(lab: Lab) -> Unfit | None:
    """With the words of make grade; a SKIP where nothing can be said. A lab that course.tsv leaves
    out is not graded, and that a file is gone make itself tells."""
    task = read_course().get(lab.name)
    paths = [lab.path / name for name in (lab.programs[0].kernel, "params.h")]
    if task is None or not all(path.is_file() for path in paths):
        return None
    files = {path.name: path.read_bytes() for path in paths}
    for name, content in files.items():
        if said := complaint_of_file(content):
            return Unfit("REFUSED", f"{lab.name}/{name} {said}")
    return asked(lab, task, files)


def asked(lab: Lab, task: Task, files: dict[str, bytes]) -> Unfit | None:
    tools = (*TOOLS, *(["g++"] if lab.backend == "cuda" else []))
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        return Unfit(SKIP, f"there is no {missing[0]} here")
    with_object = lab.backend == "cpu" or lab.emulated
    with temp_folder("handin") as folder:
        bench = Desktop(lab, task, folder / "bench")
        lay_out(bench, files)
        (bench.folder / "common").symlink_to(TOP / "common")
        try:
            take(bench, with_object, [linking(bench)] if lab.backend == "cpu" else [])
        except Unfit as why:
            if not is_of_common(why.reason):
                return why
        said = silenced(bench)
        return Unfit("FAIL", f"robust: {said}") if said else None


def is_of_common(reason: str) -> bool:
    """Is that a function of ours, which a lab's program has?"""
    found = re.search(r"undefined (?:reference to|symbol:) [`']?(\w+)", reason)
    return found is not None and any(
        re.search(rf"\b{found[1]}\(", path.read_text())
        for folder in IN_PROGRAM
        for path in (TOP / folder).glob("*.h")
    )


def linking(bench: Bench) -> Step:
    bench.put("main.c", "void gemm(void);\nint main(void) { gemm(); }\n")
    threads = ["-fopenmp"] if bench.task.threads > 1 else []
    files = ["/lab/main.c", "/out/kernel.o", "-lm"]
    return Step(["cc", *threads, "-o", "/out/program", *files], "program")
