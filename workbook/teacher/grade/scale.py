# SPDX-License-Identifier: MIT
"""The scale of a lab: all that its points depend on beside what was handed in. Each record has its
digest, and a gradebook has one for each lab: what has another is graded anew."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

from workbook import TOP
from workbook.lab import labs
from workbook.lab.course import Task
from workbook.lab.stages import ANSWERS
from workbook.teacher.grade.class_setup import Terms

# What gives points; the rest takes in, orders and publishes.
JUDGES = (
    *("workbook/race", "workbook/handin", "workbook/profile"),
    *(
        f"workbook/teacher/grade/{name}"
        for name in ("compiling", "judge", "grade_lab.py", "class_setup.py", "scale.py")
    ),
)
OF_THE_SYSTEM = ("system", "python")  # versions on which no mark depends


def scale(one: Terms, course: dict[str, Task], versions: dict[str, str]) -> dict[str, str]:
    """By the part, so that it can be told which differs, a digest."""
    former = labs.before(one.lab)
    both = [one.lab.path, *([former] if former else [])]
    task = {name: value for name, value in vars(one.task).items() if name != "due"}
    threads = [course[path.name].threads for path in both if path.name in course]
    tools = {name: said for name, said in versions.items() if name not in OF_THE_SYSTEM}
    answers = [path for lab in both for path in sorted((ANSWERS / lab.name).glob("kernel.*"))]
    return {
        "class": digest([one.seed, one.size, one.rounds]),
        "course.tsv": digest([task, threads]),
        "reference": digest([contents(answers), sorted(one.starts)]),
        "params.h": digest(contents(path / "params.h" for path in both)),
        "flags": digest([flags(one.lab), contents(path / "Makefile" for path in both)]),
        "tools": digest(tools),
        "judge": judge(),
    }


def flags(lab: labs.Lab) -> list[str]:
    """Of the first file of a lab, less warnings, on which no code depends: CI has more of them."""
    return [
        word
        for _, command in lab.commands[:1]
        for word in command.split()
        if not word.startswith("-W")
    ]


def digest(of: object) -> str:
    return sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()


def contents(paths: Iterable[Path]) -> list[tuple[str, str]]:
    return [(path.name, sha256(path.read_bytes()).hexdigest()) for path in paths if path.is_file()]


@cache
def judge() -> str:
    """Of all that has a say: the judge in C, and those of the modules here that give points."""
    ours = ("grading", *labs.IN_PROGRAM, "advanced/common")
    files = [
        path
        for folder in ours
        for path in (TOP / folder).rglob("*")
        if path.suffix in (".c", ".h", ".def")
    ]
    files += [
        TOP / "grading/Makefile",
        TOP / "workbook/profile/reference.tsv",
        *(path for path in (TOP / "engine").rglob("*") if path.suffix not in (".md", ".pyc")),
    ]
    for path in (TOP / name for name in JUDGES):
        files += [path] if path.is_file() else path.rglob("*.py")
    return digest(contents(sorted(files)))
