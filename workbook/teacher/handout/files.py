# SPDX-License-Identifier: MIT
"""What goes into a handout: a file that is not named here stays behind."""

from __future__ import annotations

import shutil
from pathlib import Path

from workbook import TOP
from workbook.core.files import put
from workbook.lab.course import COURSE
from workbook.lab.labs import IN_PROGRAM, Lab
from workbook.lab.stages import ANSWERS, kernel_name, stages
from workbook.lab.whole import GIVEN
from workbook.teacher.handout.pages import about, absent, for_students

WHOLE = (
    "README.md",
    *("CHANGELOG.md", "CITATION.cff"),  # make version
    *(
        "LICENSE",
        "Makefile",
        "setup",
        "requirements-report.txt",
        "requirements-tune.txt",
        ".gitattributes",
        ".gitignore",
        ".devcontainer",
    ),
    "advanced/common",
    *(
        *IN_PROGRAM,
        "make",
        "engine",
        "ceilings",
        "baseline",
        "docs",
        "workbook",
        "report_template",
    ),
)
HINTS = "hints.md"
OF_A_LAB = ("Makefile", "README.md", "params.h", "main.c", "main.cu", "start")
# In these folders: what was built, the figures of others, and what is for who teaches.
NEVER = shutil.ignore_patterns(
    *("__pycache__", "build", "gemm", "gemm_*"),
    *("results.md", "instructors.md", "syllabus.md", "teaching.md"),
    *("teacher", "maintain", "advanced"),  # rooms of workbook/
)


def copy(name: str, book: Path) -> None:
    source, target = TOP / name, book / name
    if source.is_dir():
        shutil.copytree(source, target, ignore=NEVER)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def copy_variants(lab: Lab, variants: list[str], book: Path) -> None:
    for variant in variants:
        for path in (TOP / lab.name).glob(f"*_{variant}.*"):  # its kernel, its main, its params
            copy(f"{lab.name}/{path.name}", book)


def copy_lab(lab: Lab, book: Path) -> None:
    for name in OF_A_LAB:
        copy(f"{lab.name}/{name}", book)
    for name in (
        "Makefile",
        "params.h",
        "main.c",
        "main.cu",
    ):  # make restore FILE=main.c brings it back
        if (lab.path / name).is_file():
            put(book / lab.name / GIVEN / name, (lab.path / name).read_bytes())
    shutil.copy(lab.path / "start" / stages(lab)[0].file, book / lab.name / kernel_name(lab))


def copy_given(lab: Lab, book: Path) -> None:
    """Solved, and with nothing to begin."""
    for name in OF_A_LAB:
        if name != "start":
            copy(f"{lab.name}/{name}", book)
    shutil.copy(ANSWERS / lab.name / kernel_name(lab), book / lab.name)


def copy_course(names: list[str], book: Path) -> None:
    """course.tsv, with the rows of these labs alone."""
    lines = COURSE.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.startswith("#") or line.partition("\t")[0] in names]
    put(book / COURSE.name, "".join(kept).encode())


def rewrite_pages(book: Path, chosen: list[Lab], given: list[Lab]) -> None:
    """At the end, when it is clear which files are there."""
    solved, missing = {lab.name for lab in given}, absent(book)
    for path in book.rglob("*.md"):
        if path.name != HINTS:
            text = path.read_text(encoding="utf-8")
            put(path, for_students(text, path, path.parent.name in solved, missing).encode())
    readme = book / "README.md"
    put(readme, about(readme.read_text(encoding="utf-8"), chosen, given, missing).encode())
