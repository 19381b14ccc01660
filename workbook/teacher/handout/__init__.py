# SPDX-License-Identifier: MIT
"""handout OUT LAB ...: the students' copy of the workbook: starting points in place of the kernels
of these labs, no solutions, no answers, no history. It is there whole, or not at all."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.text import wrap
from workbook.lab import labs
from workbook.lab.course import read_course, read_whole_course
from workbook.lab.labs import Lab
from workbook.lab.stages import ANSWERS, suffix
from workbook.teacher.handout.files import (
    WHOLE,
    copy,
    copy_course,
    copy_given,
    copy_lab,
    copy_variants,
    rewrite_pages,
)
from workbook.teacher.handout.solution_leaks import leaks, shows


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="handout",
        description=(
            "Makes the students' copy of the workbook: make handout OUT=../handout LABS='01 02 05'."
        ),
        epilog="exit status: 0 it is there, 2 bad usage, or a file would show a solution.",
    )
    parser.add_argument("out", help="a folder that is not there yet")
    parser.add_argument(
        "--variants", default="", help="those that go into it: 'published transpose'"
    )
    parser.add_argument("lab", nargs="*", help="those that are handed out; none: all of course.tsv")
    options = parser.parse_args(words)
    if not options.out:
        raise UserError("where to? make handout OUT=../handout")
    if not ANSWERS.is_dir():
        raise UserError("this is a handout already: there are no answers/ in it")
    out = Path(options.out).absolute()
    if out.exists():
        raise UserError(f"OUT={options.out}: is there already: choose another, or remove it")
    chosen = [
        labs.describe(str(TOP / folder), [])
        for folder in dict.fromkeys(options.lab or read_whole_course())
    ]
    given = first_ones(chosen)
    variants = options.variants.split()
    there = {program.variant for lab in chosen for program in lab.programs} - {""}
    if unknown := [name for name in variants if name not in there]:
        raise UserError(f"VARIANTS={unknown[0]}: these labs have {' '.join(sorted(there))}")
    make(out, chosen, given, variants)
    print("\n".join(summary(out, chosen, given, variants)))
    return 0


def first_ones(chosen: list[Lab]) -> list[Lab]:
    """The labs before the first of a backend that is handed out: what that begins from, and is
    compared with. They come solved. Between two of these there is none: it would show the first
    one's solution."""
    given, seen = [], set()
    for lab in chosen:
        path = labs.before(lab)
        former = labs.describe(str(path), []) if path and suffix(lab) not in seen else None
        if former is not None and suffix(former) == suffix(lab) and former not in chosen:
            given.append(former)
        seen.add(suffix(lab))
    return given


def make(out: Path, chosen: list[Lab], given: list[Lab], variants: list[str]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".new.") as work:
        book = Path(work, out.name)
        for name in WHOLE:
            copy(name, book)
        for lab in chosen:
            copy_lab(lab, book)
        for lab in given:
            copy_given(lab, book)
        for lab in [*chosen, *given]:
            copy_variants(lab, variants, book)
        copy_course([lab.name for lab in chosen], book)
        rewrite_pages(book, chosen, given)
        if found := leaks(book, chosen, given):
            raise UserError(found[0])
        os.rename(book, out)


def summary(out: Path, chosen: list[Lab], given: list[Lab], variants: list[str]) -> list[str]:
    lines = [
        f"{out}: {len(chosen)} labs to be written",
        *wrap(", ".join(lab.name for lab in chosen), "  ", "  "),
    ]
    for lab in given:
        lines += wrap(
            f"{lab.name} comes solved: the first of these begins from it, and is compared with it",
            "  ",
        )
    for lab in chosen:
        for variant in variants:
            for path in (TOP / lab.name).glob(f"kernel_{variant}.*"):
                lines += wrap(
                    f"{lab.name} has {path.name}; lines of its solution in it: {shows(lab, path)}",
                    "  ",
                )
    without = [lab.name for lab in chosen if lab.name not in read_course()]
    if without:
        lines += wrap(f"not in course.tsv, so without points: {', '.join(without)}", "  ")
    return [
        *lines,
        "try it: cd there, ./setup && make progress; make check says that nothing is done yet",
    ]
