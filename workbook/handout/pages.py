# SPDX-License-Identifier: MIT
"""The pages of a handout: without the code of the kernels, and without what needs a variant or a file that is
not there."""

from __future__ import annotations

import re
from pathlib import Path

from workbook import TOP
from workbook.labs import Lab, describe, ladder
from workbook.text import wrap

YOURS = "```c\n// yours to write: make start, make hint\n```\n"
EXAMPLE = "lab05_ocl_coarsen"  # in the commands of README.md
NOT_THERE = ("make selftest", "make solution")  # in a handout
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def absent() -> set[str]:
    """The variants that students will not have; a step is to be their own kernel."""
    steps = {step for path in ladder() for step in describe(str(path), []).stages}
    return {path.stem[len("kernel_") :] for path in TOP.glob("lab*/kernel_*")} - steps


def for_students(text: str, path: Path, solved: bool, variants: set[str]) -> str:
    """The text of the page at that path; solved: of a lab whose kernel is there. Without these variants."""
    if not solved:
        text = re.sub(r"^```c\n.*?^```\n", lambda _: YOURS, text, flags=re.M | re.S)
    kept = ""
    for block in blocks(text):
        if not needs(block, variants) and not is_about_absent(block, path):
            kept += block
        elif block.endswith("\n\n") and not kept.endswith("\n\n"):  # the last of a list
            kept += "\n"
    return LINK.sub(lambda link: linked(link, path), kept)


def about(readme: str, chosen: list[Lab], given: list[Lab]) -> str:
    """The first page: what this copy is, and examples of a lab that is in it."""
    names = {lab.name for lab in chosen}
    words = f"This is a copy for students. To be written: {', '.join(lab.name for lab in chosen)}."
    if given:
        words += f" Solved, to begin from and to compare with: {', '.join(lab.name for lab in given)}."
    words += " The variants that the pages mention (chapter, tile, transpose) come with the answers."
    if EXAMPLE not in names:
        number = chosen[0].number
        readme = readme.replace(EXAMPLE, chosen[0].name).replace("LAB=05", f"LAB={number}")
        readme = readme.replace("may be 5, 05", f"may be {int(number)}, {number}")
    title, _, rest = readme.partition("\n\n")
    return "\n".join([title, "", *wrap(words, "", ""), "", rest])


def blocks(text: str) -> list[str]:
    """Paragraphs and items of lists, with the line breaks after them."""
    found, fenced = [""], False
    for line in text.splitlines(keepends=True):
        begins = (
            found[-1].endswith("\n\n")
            and line != "(your answer)\n"
            or line.startswith(("- ", "**Question.**"))
        )
        if begins and not fenced:
            found.append("")
        fenced ^= line.startswith("```")
        found[-1] += line
    return found


def needs(block: str, variants: set[str]) -> bool:
    """Does it ask for what a student cannot do? Tables and numbered questions stay: one may ask for what was
    measured."""
    if re.match(r"\||```|<!--|\d+\. |#", block):
        return False
    asked = block.startswith("**Question.**")
    mention = r"`({})`" if asked else r"VARIANT=({0})\b|kernel_({0})\."
    if re.search(mention.format("|".join(variants)), block):
        return True
    return any(f"`{target}" in block for target in NOT_THERE)


def is_about_absent(block: str, path: Path) -> bool:
    """Does it begin with a link to a file that stays behind?"""
    link = LINK.match(block.removeprefix("- "))
    return link is not None and not (path.parent / link[2]).exists()


def linked(link: re.Match[str], path: Path) -> str:
    """A link to a file that stays behind becomes its words."""
    return link[0] if (path.parent / link[2]).exists() else link[1]
