# SPDX-License-Identifier: MIT
"""The pages of a handout: without the code of the kernels, without what needs a variant or a file that is not
there, and without what is for instructors."""

from __future__ import annotations

import re
from pathlib import Path

from workbook import TOP

YOURS = "```c\n// yours to write: make start, make hint\n```\n"
FOR_INSTRUCTORS = ("## For instructors", "## Add a lab")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def steps() -> set[str]:
    """The variants that students will have: their own kernels of a step."""
    makefiles = (path.read_text(encoding="utf-8") for path in TOP.glob("lab*/Makefile"))
    return {
        step
        for text in makefiles
        for said in re.findall(r"^STEPS *= *(.*)$", text, re.M)
        for step in said.split()
    }


def absent() -> set[str]:
    """The variants that they will not have."""
    names = {path.stem[len("kernel_") :] for path in TOP.glob("lab*/kernel_*")}
    return names - steps()


def for_students(text: str, path: Path, solved: bool) -> str:
    """The text of the page at that path; solved: of a lab whose kernel is there."""
    if not solved:
        text = re.sub(r"^```c\n.*?^```\n", lambda _: YOURS, text, flags=re.M | re.S)
    for heading in FOR_INSTRUCTORS:
        text = re.sub(rf"^{heading}\n.*?(?=^## |\Z)", "", text, flags=re.M | re.S)
    variants = absent()
    kept = ""
    for block in blocks(text):
        if not needs(block, variants) and not is_about_absent(block, path):
            kept += block
        elif block.endswith("\n\n") and not kept.endswith("\n\n"):  # the last of a list
            kept += "\n"
    return LINK.sub(lambda link: linked(link, path), kept)


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
    return re.search(mention.format("|".join(variants)), block) is not None


def is_about_absent(block: str, path: Path) -> bool:
    """Does it begin with a link to a file that stays behind?"""
    link = LINK.match(block)
    return link is not None and not (path.parent / link[2]).exists()


def linked(link: re.Match[str], path: Path) -> str:
    """A link to a file that stays behind becomes its words."""
    return link[0] if (path.parent / link[2]).exists() else link[1]
